import { parseIP } from "./ip.ts";

/** The parts of a URL as returned by Go's `ParseRequestURI`. */
export interface RequestURI {
  /** Lower case; empty for a path only. */
  readonly scheme: string;
  /** Host and port as written, percent-decoded. */
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly escapedPath: string;
  readonly rawQuery: string;
}

/** Parses an absolute URL or path, as in a request line; a fragment is not split off. Undefined if it is malformed. */
export function parseRequestURI(text: string): RequestURI | undefined {
  // Go rejects the control characters of ASCII only.
  if (text === "" || /(?![\u0080-\u009f])\p{Cc}/u.test(text)) return undefined;
  if (text === "*") return createURI("", "", "*", "");
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*(?=:)/.exec(text)?.[0] ?? "";
  if (text.startsWith(":")) return undefined;
  const afterScheme = scheme === "" ? text : text.slice(scheme.length + 1);
  const questionMark = afterScheme.indexOf("?");
  const rest = questionMark === -1 ? afterScheme : afterScheme.slice(0, questionMark);
  const rawQuery = questionMark === -1 ? "" : afterScheme.slice(questionMark + 1);
  if (!rest.startsWith("/")) return scheme === "" ? undefined : createURI(scheme, "", "", rawQuery);
  if (scheme === "" || !rest.startsWith("//")) return createWithPath(scheme, "", rest, rawQuery);
  const slash = rest.indexOf("/", 2);
  const authority = slash === -1 ? rest.slice(2) : rest.slice(2, slash);
  const host = parseAuthority(scheme.toLowerCase(), authority);
  return host === undefined
    ? undefined
    : createWithPath(scheme, host, slash === -1 ? "" : rest.slice(slash), rawQuery);
}

/** Returns the decoded host and port of `user@host:port`; undefined if it is malformed. */
function parseAuthority(scheme: string, authority: string): string | undefined {
  const at = authority.lastIndexOf("@");
  const userinfo = authority.slice(0, Math.max(at, 0));
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(userinfo) || unescapeURL(userinfo) === undefined)
    return undefined;
  const host = authority.slice(at + 1);
  return host.includes("[") ? parseIPLiteral(host) : parseHostName(scheme, host);
}

function parseIPLiteral(host: string): string | undefined {
  const close = host.lastIndexOf("]");
  if (!host.startsWith("[") || host.lastIndexOf("[") !== 0 || close === -1) return undefined;
  const port = host.slice(close + 1);
  const inner = unescapeURL(host.slice(1, close));
  if (!isOptionalPort(port) || inner === undefined) return undefined;
  const address = parseIP(inner, { zones: true });
  return address?.bytes.length === 16 ? `[${inner}]${port}` : undefined;
}

function parseHostName(scheme: string, host: string): string | undefined {
  // Other schemes may have several colons, for lists of hosts: Go looks at the last one only.
  const isHTTP = scheme === "http" || scheme === "https";
  const colon = isHTTP ? host.indexOf(":") : host.lastIndexOf(":");
  if (colon !== -1 && !isOptionalPort(host.slice(colon))) return undefined;
  // In a host, only non-ASCII bytes and the percent sign may be percent-encoded.
  const unescaped = host.replaceAll(/%(?:25|[89A-Fa-f][0-9A-Fa-f])/g, "");
  if (!/^[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"\u0080-\uffff]*$/.test(unescaped)) return undefined;
  return unescapeURL(host);
}

function isOptionalPort(text: string): boolean {
  return text === "" || /^:\d*$/.test(text);
}

function createWithPath(
  scheme: string,
  host: string,
  path: string,
  rawQuery: string,
): RequestURI | undefined {
  const plain = unescapeURL(path);
  if (plain === undefined) return undefined;
  // Go keeps the path as written if all its characters may stand in one, and else encodes it anew.
  const isValidEncoding = /^[A-Za-z0-9\-_.~$&+,/:;=@!'()*%[\]]*$/.test(path);
  return createURI(scheme, host, isValidEncoding ? path : escapePath(plain), rawQuery);
}

function escapePath(path: string): string {
  return path.replaceAll(/[^A-Za-z0-9\-_.~$&+,/:;=@]/gu, (char) =>
    [...Buffer.from(char)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
  );
}

function createURI(scheme: string, host: string, escapedPath: string, rawQuery: string): RequestURI {
  const match = /^(.*?)(?::(\d*))?$/s.exec(host)!;
  // An IPv6 address without a port has colons of its own.
  const hasNoPort = host.startsWith("[") && host.endsWith("]");
  const name = hasNoPort ? host : match[1]!;
  const hostname = name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name;
  const port = hasNoPort ? "" : (match[2] ?? "");
  return { scheme: scheme.toLowerCase(), host, hostname, port, escapedPath, rawQuery };
}

/** Decodes percent-encoding; undefined if an escape is malformed. */
export function unescapeURL(text: string, options: { plusIsSpace?: boolean } = {}): string | undefined {
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return undefined;
  const plain = options.plusIsSpace ? text.replaceAll("+", " ") : text;
  if (!plain.includes("%")) return plain;
  return plain.replaceAll(/(?:%[0-9A-Fa-f]{2})+/g, (run) =>
    Buffer.from(run.replaceAll("%", ""), "hex").toString(),
  );
}
