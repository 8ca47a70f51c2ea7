// The token the server wants with all that is sent. Signing in anew changes it, in another tab as
// well: so it is read when it is needed, never kept.
export const csrfToken = () => document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1] ?? "";
