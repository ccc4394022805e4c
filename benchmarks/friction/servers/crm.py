"""Customers and deals."""

from collections.abc import Mapping
from random import Random
from typing import Any

from benchmarks.friction.goals import about, after, checking, counting, filing, finding, missing, since
from benchmarks.friction.parts import Collection, date, number, text, words
from benchmarks.friction.people import DIRECTORY, PLAYGROUND, day, people
from benchmarks.friction.surface import Surface, World, named

__all__ = ["GOALS", "SURFACE"]

_STAGES = ["lead", "offer", "won", "lost"]
_REGIONS = ["north", "east", "south", "west"]
_COMPANIES = ["Aster", "Birch", "Cedar", "Dahlia", "Elder", "Fennel", "Ginkgo", "Hazel", "Iris", "Juniper"]

_CONTACTS = Collection(
    "contact",
    "contacts",
    "contact_id",
    short={
        "contact_id": text("The contact's identifier."),
        "name": text("First and last name."),
        "email": {"type": "string", "format": "email", "description": "The address for mail."},
        "company": text("Where they work."),
        "region": words(_REGIONS, "Where that is."),
    },
    whole={"phone": text("With country code."), "notes": text("What was said.")},
    filters={
        "region": words(_REGIONS, "Only contacts of this region."),
        "company": text("Only contacts of this company, by its full name."),
    },
    lookups={"email": text("Only the contact with this address.")},
    shared={"email": "email"},
    cursor="next_cursor",
    size=10,
    most=50,
)
_DEALS = Collection(
    "deal",
    "deals",
    "deal_id",
    short={
        "deal_id": text("The deal's identifier."),
        "title": text("One line."),
        "stage": words(_STAGES, "How far it is."),
        "amount": number("In euros."),
        "owner": text("The login of who looks after it."),
        "closes": date("The day on which it should be decided"),
    },
    whole={"contact_id": text("The contact's identifier."), "history": {"type": "array", "items": {"type": "string"}}},
    filters={
        "stage": words(_STAGES, "Only deals at this stage."),
        "owner": text("Only deals of this person, by login."),
    },
    shared={"owner": "login"},
    dated="closes",
    since="closes_from",
    until="closes_to",
)


def _world(rng: Random) -> World:
    crowd = people(rng)
    contacts = [
        {
            "contact_id": f"con_{rng.getrandbits(36):09x}",
            "name": person["name"],
            "email": person["email"],
            "company": f"{rng.choice(_COMPANIES)} & {rng.choice(['Sons', 'Partners', 'Friends'])}",
            "region": rng.choice(_REGIONS),
            "phone": f"+49 30 {rng.randint(100000, 999999)}",
            "notes": f"Met at the fair in {rng.choice(['Riga', 'Lyon', 'Porto'])}.",
        }
        for _ in range(4)
        for person in people(rng, 12)
    ]
    unique = list({contact["email"]: contact for contact in contacts}.values())
    deals = [
        {
            "deal_id": f"deal_{rng.getrandbits(36):09x}",
            "title": f"{rng.choice(['Renewal', 'Pilot', 'Training'])} for {rng.choice(_COMPANIES)} ({place})",
            "stage": rng.choice(_STAGES),
            "amount": float(rng.randint(2, 90) * 500),
            "owner": rng.choice(crowd)["login"],
            "closes": day(rng),
            "contact_id": rng.choice(unique)["contact_id"],
            "history": ["called", "wrote"][: rng.randint(0, 2)],
        }
        for place in range(52)
    ]
    return {"people": crowd, "contacts": unique, "deals": deals}


def _new(world: World, args: Mapping[str, Any]) -> dict[str, Any]:
    rest = {"company": "", "region": "north", "email": "", "phone": ""}
    given = {name: value for name, value in args.items() if name != "project"}
    return {"contact_id": f"con_{len(world['contacts']):09x}", **rest, **given}


SURFACE = Surface(
    "crm",
    named(
        _CONTACTS.list_tool("list_contacts", "Lists contacts a page at a time."),
        _CONTACTS.get_tool("get_contact", "Returns a contact, or several, with phone and notes.", batch="contact_ids"),
        _CONTACTS.create_tool(
            "create_contact",
            "Adds a contact and returns it.",
            {
                "project": text("The project whose list it goes into, by key."),
                "name": text("First and last name."),
                "notes": text("What was said."),
                "region": words(_REGIONS, "Where they are; north if left out."),
            },
            ["project", "name", "notes"],
            _new,
        ),
        _DEALS.list_tool("list_deals", "Lists deals a page at a time."),
        _DEALS.get_tool("get_deal", "Returns a deal, or several, with contact and history.", batch="deal_ids"),
        _DEALS.sum_tool("sum_deals", "Returns the amount of matching deals in euros, and how many they are.", "amount"),
        DIRECTORY.list_tool("list_team", "Lists the people of the sales team, a page at a time."),
    ),
    _world,
    resources=(PLAYGROUND,),
)

GOALS = (
    about("crm", "contact", lambda rng, _: {"region": rng.choice(_REGIONS)}),
    about(
        "crm", "deal", lambda rng, world: {"owner": rng.choice(world["people"])["login"], "stage": rng.choice(_STAGES)}
    ),
    counting("crm", "deal", lambda rng, _: {"stage": rng.choice(_STAGES)}, member="amount"),
    finding("crm", "contact", "email", "contacts"),
    since("crm", "deal", lambda rng, _: {"stage": rng.choice(_STAGES)}, dated="closes"),
    missing("crm", "deal", lambda rng, _: f"deal_{rng.getrandbits(36):09x}"),
    filing(
        "crm",
        "contact",
        lambda rng, _: {
            "project": PLAYGROUND,
            "name": f"Uma Test{rng.randint(100, 999)}",
            "notes": f"Met at the fair in {rng.choice(['Riga', 'Lyon', 'Porto'])}.",
        },
    ),
    finding("crm", "person", "email", "people"),
    checking("crm", "deal", lambda rng, _: {"stage": rng.choice(_STAGES)}),
    after("crm", "deal"),
)
