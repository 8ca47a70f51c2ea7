"""Hob & Heather, a small web shop with the difficulties that browser agents meet every day.

It is a Django project of its own: it shares no settings and no database with Pointsman.
"""
