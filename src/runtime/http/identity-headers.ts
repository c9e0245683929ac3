import type { Credential, Impersonation } from "./config.ts";

/** The headers for authentication and impersonation. */
export function identityHeaders(
  { token, username, password }: Credential,
  impersonate: Impersonation | undefined,
): { [name: string]: string | string[] } {
  const headers: { [name: string]: string | string[] } = {};
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  else if (username !== undefined) {
    headers.authorization = `Basic ${Buffer.from(`${username}:${password ?? ""}`).toString("base64")}`;
  }
  if (impersonate === undefined) return headers;
  headers["impersonate-user"] = impersonate.user;
  if (impersonate.uid !== undefined) headers["impersonate-uid"] = impersonate.uid;
  if (impersonate.groups?.length) headers["impersonate-group"] = [...impersonate.groups];
  for (const [name, values] of Object.entries(impersonate.extra ?? {})) {
    // Names of extra fields may contain characters that are invalid in headers; the server decodes them.
    headers[`impersonate-extra-${encodeURIComponent(name.toLowerCase())}`] = [...values];
  }
  return headers;
}
