"""How many replies of real dialogues are taken as confirmations, by what their people meant.

`python -m benchmarks.confirmations dev.jsonl`: each line holds `user`, the reply, and `user_acts`.
"""

import json
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path

from routing.domain.confirmation import detect
from routing.domain.rules import Rules
from routing.rules_file import default_rules, extended_rules, read

SHOWN = 20


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--rules", type=Path, help="a file of rules instead of the product's own")
    given = parser.parse_args()
    rules = read(given.rules, base=default_rules()) if given.rules else extended_rules()
    replies = [json.loads(line) for line in given.corpus.read_text("utf-8").splitlines()]
    for acts in sorted({_acts_of(reply) for reply in replies}):
        _tell(acts, [reply["user"] for reply in replies if _acts_of(reply) == acts], rules)


def _acts_of(reply: dict[str, list[str]]) -> str:
    return "+".join(sorted(set(reply["user_acts"])))


def _tell(acts: str, said: list[str], rules: Rules) -> None:
    """The share, and what was told apart: the rarer side, the most frequent first."""
    taken = [text for text in said if detect(text, rules).is_confirmation]
    print(
        f"{acts}: {len(taken)} of {len(said)} taken as confirmations ({len(taken) / len(said):.1%})"
    )
    left = Counter(said) - Counter(taken)
    rarer = Counter(taken) if len(taken) * 2 < len(said) else left
    for text, count in rarer.most_common(SHOWN):
        print(f"   {count:4} {text}")


if __name__ == "__main__":
    main()
