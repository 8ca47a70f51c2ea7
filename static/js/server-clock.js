// The server's time: deadlines are its business, and the viewer's clock may be wrong.
let offsetMs = 0;

export function learnTime(iso) {
  const at = Date.parse(iso);
  if (!Number.isNaN(at)) offsetMs = at - Date.now();
}

export const serverNow = () => Date.now() + offsetMs;
