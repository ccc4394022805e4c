"""Invoices and payments."""

from collections.abc import Mapping
from random import Random
from typing import Any

from benchmarks.friction.goals import about, after, checking, counting, filing, finding, missing, since
from benchmarks.friction.parts import Collection, date, number, text, words
from benchmarks.friction.people import DIRECTORY, PLAYGROUND, day, people, projects
from benchmarks.friction.surface import Surface, World, named

__all__ = ["GOALS", "SURFACE"]

_STATUSES = ["drafted", "sent", "paid", "overdue"]
_METHODS = ["wire", "card", "cash"]

_INVOICES = Collection(
    "invoice",
    "invoices",
    "invoice_number",
    short={
        "invoice_number": text("The invoice's identifier."),
        "project": text("What it is for, by the project's key."),
        "status": words(_STATUSES, "How far it is."),
        "approved_by": text("The login of who signed it."),
        "net_amount": number("In euros, without tax."),
        "issued": date("The day on which it was written"),
        "customer_email": text("Where it was sent."),
    },
    whole={"lines": {"type": "array", "items": {"type": "string"}}},
    filters={
        "project": text("Only invoices for this project, by key."),
        "status": words(_STATUSES, "Only invoices of this status."),
        "approved_by": text("Only invoices signed by this person, by login."),
    },
    lookups={"customer_email": text("Only invoices sent to this address.")},
    shared={"approved_by": "login", "project": "project", "customer_email": "email"},
    dated="issued",
    since="issued_from",
    until="issued_until",
    cursor="next_cursor",
    size=18,
)
_PAYMENTS = Collection(
    "payment",
    "payments",
    "payment_ref",
    short={
        "payment_ref": text("The payment's identifier."),
        "method": words(_METHODS, "How it was paid."),
        "amount": number("In euros."),
        "booked": date("The day on which it was booked"),
    },
    whole={"invoice_number": text("What was paid."), "payer": text("Who paid.")},
    filters={"method": words(_METHODS, "Only payments of this kind.")},
    dated="booked",
    since="booked_since",
    cursor="next_cursor",
)


def _world(rng: Random) -> World:
    crowd = people(rng)
    invoices = [
        {
            "invoice_number": f"INV-2026-{rng.getrandbits(24):06x}",
            "project": rng.choice(projects()[:-1]),
            "status": rng.choice(_STATUSES),
            "approved_by": rng.choice(crowd)["login"],
            "net_amount": round(rng.uniform(80, 9000), 2),
            "issued": day(rng),
            "lines": [
                f"{rng.randint(1, 9)} days of {rng.choice(['design', 'repair', 'advice'])}"
                for _ in range(rng.randint(1, 3))
            ],
            "customer_email": rng.choice(crowd)["email"],
        }
        for _ in range(62)
    ]
    payments = [
        {
            "payment_ref": f"pay-{rng.getrandbits(40):010x}",
            "method": rng.choice(_METHODS),
            "amount": round(rng.uniform(80, 9000), 2),
            "booked": day(rng),
            "invoice_number": rng.choice(invoices)["invoice_number"],
            "payer": rng.choice(crowd)["name"],
        }
        for _ in range(50)
    ]
    return {"people": crowd, "invoices": invoices, "payments": payments}


def _new(world: World, args: Mapping[str, Any]) -> dict[str, Any]:
    rest = {
        "status": "drafted",
        "approved_by": world["people"][0]["login"],
        "issued": "2026-11-30",
        "lines": [],
        "customer_email": "",
    }
    return {"invoice_number": f"INV-2026-x{len(world['invoices'])}", **rest, **args}


SURFACE = Surface(
    "billing",
    named(
        _INVOICES.list_tool("list_invoices", "Lists invoices a page at a time."),
        _INVOICES.get_tool("get_invoice", "Returns an invoice, or several, with its lines.", batch="invoice_numbers"),
        _INVOICES.sum_tool(
            "sum_invoices", "Returns the net amount of matching invoices in euros, and how many they are.", "net_amount"
        ),
        _INVOICES.create_tool(
            "create_invoice",
            "Drafts an invoice for a project and returns it.",
            {
                "project": text("The project's key."),
                "net_amount": number("In euros, without tax."),
                "issued": date("The day to write on it"),
                "status": words(_STATUSES, "How far it is; drafted if left out."),
            },
            ["project", "net_amount", "issued"],
            _new,
        ),
        _PAYMENTS.list_tool("list_payments", "Lists payments a page at a time."),
        _PAYMENTS.get_tool(
            "get_payment", "Returns a payment, or several, with invoice and payer.", batch="payment_refs"
        ),
        DIRECTORY.list_tool("list_approvers", "Lists who may sign invoices, a page at a time."),
    ),
    _world,
    resources=(PLAYGROUND,),
)

GOALS = (
    about(
        "billing",
        "invoice",
        lambda rng, _: {"project": rng.choice(projects()[:-1]), "status": rng.choice(_STATUSES)},
    ),
    about("billing", "payment", lambda rng, _: {"method": rng.choice(_METHODS)}),
    counting("billing", "invoice", lambda rng, _: {"status": rng.choice(_STATUSES)}, member="net_amount"),
    finding("billing", "invoice", "customer_email", "invoices"),
    since("billing", "invoice", lambda rng, _: {"project": rng.choice(projects()[:-1])}, dated="issued"),
    missing("billing", "invoice", lambda rng, _: f"INV-2026-{rng.getrandbits(24):06x}"),
    filing(
        "billing",
        "invoice",
        lambda rng, _: {"project": PLAYGROUND, "net_amount": float(rng.randint(1000, 9000)), "issued": day(rng)},
    ),
    finding("billing", "person", "email", "people"),
    checking("billing", "invoice", lambda rng, _: {"status": rng.choice(_STATUSES)}),
    after("billing", "invoice"),
)
