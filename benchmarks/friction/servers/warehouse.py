"""A warehouse: what is in stock, what was shipped, and counts that take their time."""

from random import Random

from benchmarks.friction.goals import about, after, checking, counting, finding, missing, since, working
from benchmarks.friction.parts import Collection, date, job_tools, number, text, words
from benchmarks.friction.people import PLAYGROUND, day, people
from benchmarks.friction.surface import Surface, World, named

__all__ = ["GOALS", "SURFACE"]

_SHELVES = ["cold", "dry", "bulk"]
_STATES = ["packed", "shipped", "returned"]
_GOODS = ["lamp", "chair", "kettle", "ladder", "basket", "rope", "drill", "mirror"]

_ITEMS = Collection(
    "item",
    "items",
    "sku",
    short={
        "sku": text("The item's identifier."),
        "name": text("What it is called."),
        "shelf": words(_SHELVES, "Where it lies."),
        "quantity": {"type": "integer", "description": "How many are in stock."},
        "ean": text("The number on the package."),
    },
    whole={"supplier": text("Who delivers it."), "weight_kg": number("Of one.")},
    filters={"shelf": words(_SHELVES, "Only items of this shelf."), "name": text("Only items of exactly this name.")},
    lookups={"ean": text("Only the item with this number on the package.")},
    cursor="next_cursor",
    size=15,
    most=60,
)
_SHIPMENTS = Collection(
    "shipment",
    "shipments",
    "shipment_id",
    short={
        "shipment_id": text("The shipment's identifier."),
        "state": words(_STATES, "How far it is."),
        "handled_by": text("The login of who packed it."),
        "parcels": {"type": "integer", "description": "How many parcels it has."},
        "date": date("The day on which it left"),
    },
    whole={"skus": {"type": "array", "items": {"type": "string"}}, "destination": text("The town.")},
    filters={
        "state": words(_STATES, "Only shipments in this state."),
        "handled_by": text("Only shipments packed by this person, by login."),
    },
    shared={"handled_by": "login"},
    dated="date",
    since="since",
    until="until",
    cursor="next_cursor",
)
_START, _STATUS = job_tools(
    "stocktake",
    ("start_stocktake", "Begins to count the stock of a site; get_stocktake tells how far it is."),
    ("get_stocktake", "Returns the state of a stocktake, at once or when it has ended (wait_seconds)."),
    {"project": text("The site's project, by key."), "shelf": words(_SHELVES, "The shelf to count.")},
    ["project", "shelf"],
    key="stocktake_id",
    looks=5,
)


def _world(rng: Random) -> World:
    crowd = people(rng)
    items = [
        {
            "sku": f"SKU-{rng.getrandbits(28):07x}",
            "name": f"{rng.choice(_GOODS)} {rng.choice(['small', 'large', 'oak', 'steel'])}",
            "shelf": rng.choice(_SHELVES),
            "quantity": rng.randint(0, 400),
            "ean": f"40{rng.randint(10**10, 10**11 - 1)}",
            "supplier": f"{rng.choice(['Nord', 'Alpen', 'Delta'])} Supply",
            "weight_kg": round(rng.uniform(0.2, 12), 2),
        }
        for _ in range(72)
    ]
    shipments = [
        {
            "shipment_id": f"shp-{rng.getrandbits(36):09x}",
            "state": rng.choice(_STATES),
            "handled_by": rng.choice(crowd)["login"],
            "parcels": rng.randint(1, 9),
            "date": day(rng),
            "skus": [rng.choice(items)["sku"] for _ in range(rng.randint(1, 4))],
            "destination": rng.choice(["Turin", "Gdansk", "Malmo", "Ghent"]),
        }
        for _ in range(55)
    ]
    return {"people": crowd, "items": items, "shipments": shipments}


SURFACE = Surface(
    "warehouse",
    named(
        _ITEMS.list_tool("list_items", "Lists what is in stock a page at a time."),
        _ITEMS.get_tool("get_item", "Returns an item, or several, with supplier and weight.", batch="skus"),
        _SHIPMENTS.list_tool("list_shipments", "Lists shipments a page at a time."),
        _SHIPMENTS.get_tool(
            "get_shipment", "Returns a shipment, or several, with what is in it.", batch="shipment_ids"
        ),
        _SHIPMENTS.sum_tool("count_parcels", "Returns how many parcels matching shipments have.", "parcels"),
        _START,
        _STATUS,
    ),
    _world,
    resources=(PLAYGROUND,),
)

GOALS = (
    about("warehouse", "item", lambda rng, _: {"shelf": rng.choice(_SHELVES)}),
    about(
        "warehouse",
        "shipment",
        lambda rng, world: {"handled_by": rng.choice(world["people"])["login"], "state": rng.choice(_STATES)},
    ),
    counting("warehouse", "shipment", lambda rng, _: {"state": rng.choice(_STATES)}, member="parcels"),
    finding("warehouse", "item", "ean", "items"),
    since("warehouse", "shipment", lambda rng, _: {"state": rng.choice(_STATES)}, dated="date"),
    missing("warehouse", "shipment", lambda rng, _: f"shp-{rng.getrandbits(36):09x}"),
    working("warehouse", "stocktake", lambda rng, _: {"project": PLAYGROUND, "shelf": rng.choice(_SHELVES)}),
    checking("warehouse", "shipment", lambda rng, _: {"state": rng.choice(_STATES)}),
    after("warehouse", "shipment"),
)
