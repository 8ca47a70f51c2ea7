"""What controls say that do something for good, by language. Data: another language is another
list.

`*` stands for one word or none: `place * order` is also `place your order`. An apostrophe is
written straight; the page's own may be curly.
"""

from collections.abc import Mapping

WORDS: Mapping[str, tuple[str, ...]] = {
    "en": (
        *("place * order", "place * orders", "order now", "buy", "buy now", "buy it"),
        *("pay", "pay now", "purchase", "book now", "donate"),
        *("submit * order", "confirm * order", "complete * order", "finish * order"),
        *("send * order", "submit * purchase", "confirm * purchase", "complete * purchase"),
        *("submit * payment", "confirm * payment", "complete * payment", "send * payment"),
        *("finish * payment", "finish * purchase", "send * purchase"),
        *("submit * transfer", "confirm * transfer", "complete * transfer", "send * transfer"),
        *("submit * booking", "confirm * booking", "complete * booking", "finish * booking"),
        *("finish * transfer", "send * booking", "transfer", "withdraw", "send"),
        *("submit * application", "send * application", "confirm * application"),
        *("delete", "remove", "erase", "wipe", "discard", "destroy", "terminate"),
        *("deactivate", "revoke", "unsubscribe", "publish", "deploy"),
        *("cancel * order", "cancel * account", "cancel * subscription", "cancel * booking"),
        *("cancel * membership", "cancel * plan", "close * order", "close * account"),
        *("close * subscription", "close * booking", "close * membership", "close * plan"),
    ),
    "it": (
        *("acquista", "acquista ora", "compra", "compra ora", "ordina ora", "paga", "paga ora"),
        *("conferma ordine", "conferma l'ordine", "conferma acquisto", "conferma l'acquisto"),
        *("conferma pagamento", "conferma il pagamento", "invia ordine", "invia l'ordine"),
        *("effettua * ordine", "invia", "invia pagamento", "trasferisci", "preleva", "dona"),
        *("invia * domanda", "invia * candidatura"),
        *("elimina", "cancella", "rimuovi", "distruggi", "disattiva", "revoca", "pubblica"),
        *("annulla * ordine", "annulla l'ordine", "annulla * prenotazione"),
        *("annulla * abbonamento", "annulla l'abbonamento", "chiudi * account", "disdici"),
    ),
}
