// Asks the server for pieces of HTML. Every refusal it may give has its own name here.
import { csrfToken } from "./csrf.js";
import { learnTime } from "./server-clock.js";

const LIMIT_MS = 15_000;

export class SignedOut extends Error {}
export class Unreachable extends Error {}

let isOut = false;

// `body` is a form's fields. Others hear "signed-out" and "signed-in" when the answers change.
export async function fetchFragment(url, { method = "GET", body } = {}) {
  body?.set("csrfmiddlewaretoken", csrfToken());
  const response = await send(url, { method, body });
  if (response.redirected && new URL(response.url).pathname === "/sign-in") {
    isOut = true;
    document.dispatchEvent(new CustomEvent("signed-out"));
    throw new SignedOut();
  }
  if (isOut && response.ok) welcomeBack();
  const element = await elementIn(response);
  if (element?.dataset.now) learnTime(element.dataset.now);
  return { status: response.status, element };
}

function welcomeBack() {
  isOut = false;
  document.dispatchEvent(new CustomEvent("signed-in"));
}

async function send(url, options) {
  try {
    return await fetch(url, {
      ...options,
      headers: { "X-Fragment": "1" },
      credentials: "same-origin",
      cache: "no-store",
      signal: AbortSignal.timeout(LIMIT_MS),
    });
  } catch {
    throw new Unreachable();
  }
}

// A whole page (an error page) is no fragment.
async function elementIn(response) {
  const html = (await response.text()).trim();
  if (/^<!doctype/i.test(html)) return null;
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content.firstElementChild;
}
