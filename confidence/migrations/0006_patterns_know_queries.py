"""What was taught before queries counted goes on for any query, as it did."""

from django.db import migrations
from django.db.models import Value
from django.db.models.functions import Concat, Length

ANY_QUERY = "?**"
LONGEST = 500


def take_any_query(apps, schema_editor):
    precedents = apps.get_model("confidence", "Precedent").objects
    short = precedents.annotate(length=Length("page_pattern")).filter(
        length__lte=LONGEST - len(ANY_QUERY)
    )
    short.exclude(page_pattern__contains="?").update(
        page_pattern=Concat("page_pattern", Value(ANY_QUERY))
    )


class Migration(migrations.Migration):
    dependencies = [("confidence", "0005_precedent_uses")]
    operations = [migrations.RunPython(take_any_query, migrations.RunPython.noop)]
