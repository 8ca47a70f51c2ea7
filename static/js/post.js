// Sends a form's fields to an address of ours; the answer is JSON.
import { csrfToken } from "./csrf.js";

export async function post(url, body = new FormData()) {
  body.set("csrfmiddlewaretoken", csrfToken());
  const response = await fetch(url, { method: "POST", body, credentials: "same-origin" });
  return { ok: response.ok, status: response.status, said: await response.json().catch(() => ({})) };
}
