"""What the shop sells. Plain values: no request, no session."""

from dataclasses import dataclass


def pounds(pence: int) -> str:
    """£39.00 for 3900."""
    return f"£{pence // 100}.{pence % 100:02d}"


@dataclass(frozen=True)
class Category:
    slug: str
    name: str
    intro: str


@dataclass(frozen=True)
class Product:
    sku: str
    name: str
    category: str
    price_pence: int
    summary: str
    story: str
    facts: tuple[tuple[str, str], ...]
    tint: str
    in_stock: int

    @property
    def price(self) -> str:
        return pounds(self.price_pence)

    @property
    def picture(self) -> str:
        return f"pictures/{self.sku}.svg"


CATEGORIES = (
    Category("kitchen", "Kitchen", "Pans and kettles that outlive the stove they were bought for."),
    Category("camping", "Camping", "Light enough to carry up, stout enough to sleep in."),
    Category("garden", "Garden", "Tools with ash handles, and a home for the blue tits."),
    Category("living", "Living", "Wool, wax and lamplight for the long evenings."),
)

PRODUCTS = (
    Product(
        sku="whistling-kettle",
        name="Whistling Kettle",
        category="kitchen",
        price_pence=3900,
        summary="Enamelled steel, two litres",
        story="Two coats of slate-blue enamel over heavy steel, and a whistle you can hear from "
        "the shed. Works on gas, electric and induction.",
        facts=(("Holds", "2 litres"), ("Weight", "1.3 kg"), ("Made in", "Sheffield")),
        tint="mist",
        in_stock=14,
    ),
    Product(
        sku="iron-skillet",
        name="Cast Iron Skillet",
        category="kitchen",
        price_pence=4800,
        summary="26 cm, seasoned and ready",
        story="Poured in one piece and seasoned three times with linseed oil. Wipe it, do not "
        "wash it, and hand it on.",
        facts=(("Across", "26 cm"), ("Weight", "2.4 kg"), ("Made in", "Shropshire")),
        tint="sand",
        in_stock=9,
    ),
    Product(
        sku="linen-towels",
        name="Linen Tea Towels",
        category="kitchen",
        price_pence=1850,
        summary="Washed linen, set of two",
        story="Washed before they reach you, so they dry a glass without lint from the first "
        "day. A heather stripe and a moss one.",
        facts=(("Size", "50 x 70 cm"), ("Wash", "60 °C"), ("Made in", "County Down")),
        tint="heather",
        in_stock=40,
    ),
    Product(
        sku="two-person-tent",
        name="Two-Person Tent",
        category="camping",
        price_pence=18900,
        summary="Three seasons, 2.1 kg",
        story="One pole, eight pegs and four minutes. The porch takes two packs and a wet dog.",
        facts=(("Sleeps", "2"), ("Weight", "2.1 kg"), ("Packed", "42 x 15 cm")),
        tint="moss",
        in_stock=5,
    ),
    Product(
        sku="enamel-mug",
        name="Enamel Mug",
        category="camping",
        price_pence=950,
        summary="Speckled, 350 ml",
        story="It goes on the fire, it falls off the wall, it still holds tea. Chips are a sign "
        "of a life well spent.",
        facts=(("Holds", "350 ml"), ("Weight", "140 g"), ("Made in", "Cumbria")),
        tint="sand",
        in_stock=62,
    ),
    Product(
        sku="steel-flask",
        name="Steel Flask",
        category="camping",
        price_pence=2800,
        summary="Hot for 18 hours, 750 ml",
        story="Double-walled steel with a cup for a lid. The stopper comes apart for washing, "
        "which other stoppers should learn from.",
        facts=(("Holds", "750 ml"), ("Weight", "390 g"), ("Keeps hot", "18 hours")),
        tint="mist",
        in_stock=21,
    ),
    Product(
        sku="watering-can",
        name="Copper Watering Can",
        category="garden",
        price_pence=4200,
        summary="Long spout, three litres",
        story="Balanced for one hand when full. The rose lifts off for seedlings and the copper "
        "goes green in its own time.",
        facts=(("Holds", "3 litres"), ("Weight", "1.1 kg"), ("Made in", "Birmingham")),
        tint="moss",
        in_stock=11,
    ),
    Product(
        sku="hand-trowel",
        name="Hand Trowel",
        category="garden",
        price_pence=1650,
        summary="Forged steel, ash handle",
        story="Forged from one bar, so there is no joint to work loose. Depth marks for bulbs "
        "are cut into the blade.",
        facts=(("Length", "31 cm"), ("Weight", "260 g"), ("Handle", "English ash")),
        tint="sand",
        in_stock=33,
    ),
    Product(
        sku="nest-box",
        name="Nest Box",
        category="garden",
        price_pence=2450,
        summary="Larch, for small birds",
        story="Rough larch inside so that fledglings can climb, a 32 mm door that keeps bigger "
        "birds out, and a lid that lifts for the autumn clean.",
        facts=(("Door", "32 mm"), ("Wood", "Scottish larch"), ("Hang at", "2 to 4 m")),
        tint="heather",
        in_stock=18,
    ),
    Product(
        sku="storm-lantern",
        name="Storm Lantern",
        category="living",
        price_pence=3400,
        summary="Burns 20 hours on a fill",
        story="A lamp for a table, a gatepost or a power cut. The globe lifts on a lever, so you "
        "light it without burning a finger.",
        facts=(("Height", "28 cm"), ("Burns", "20 hours"), ("Fuel", "Lamp oil")),
        tint="sand",
        in_stock=8,
    ),
    Product(
        sku="wool-blanket",
        name="Wool Blanket",
        category="living",
        price_pence=7900,
        summary="Pure new wool, 150 x 180 cm",
        story="Woven in a mill that has not moved since 1838. Warm when damp, and it airs clean "
        "on the line.",
        facts=(("Size", "150 x 180 cm"), ("Weight", "1.4 kg"), ("Made in", "Pembrokeshire")),
        tint="moss",
        in_stock=12,
    ),
    Product(
        sku="pillar-candles",
        name="Pillar Candles",
        category="living",
        price_pence=2100,
        summary="Beeswax, set of three",
        story="Poured from the wax of one moorland apiary. They smell of honey and nothing else.",
        facts=(("Set of", "3"), ("Burn", "30, 45 and 60 hours"), ("Wick", "Cotton")),
        tint="mist",
        in_stock=27,
    ),
)

_BY_SKU = {product.sku: product for product in PRODUCTS}
_CATEGORY_BY_SLUG = {category.slug: category for category in CATEGORIES}


def product_by_sku(sku: str) -> Product | None:
    return _BY_SKU.get(sku)


def category_by_slug(slug: str) -> Category | None:
    return _CATEGORY_BY_SLUG.get(slug)


def in_category(slug: str) -> list[Product]:
    return [product for product in PRODUCTS if product.category == slug]


def search(words: str) -> list[Product]:
    """Products whose name, summary or story hold every word, best known place first."""
    wanted = words.lower().split()
    if not wanted:
        return list(PRODUCTS)
    hits = [p for p in PRODUCTS if all(word in _haystack(p) for word in wanted)]
    return sorted(hits, key=lambda p: not all(word in p.name.lower() for word in wanted))


def _haystack(product: Product) -> str:
    return f"{product.name} {product.category} {product.summary} {product.story}".lower()
