"""Hob & Heather, a small web shop with the difficulties that browser agents meet every day.

It is a Django project of its own: it shares no settings and no database with Pointsman, and
keeps its rows in a folder of its own (SHOP_DATA_DIR). SHOP_BACKEND_TOKEN opens its back door.
"""
