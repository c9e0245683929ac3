// The filters around every request, outermost first: `errors.ts` turns errors into Statuses, this file authenticates,
// impersonates and authorizes the user, and `interception.ts` makes requests fail on purpose.

import type { TLSSocket } from "node:tls";
import { compareText } from "@tsbuilder/apimachinery/text";
import { type User, authenticated, credentialId, serviceAccountUser } from "../contract/user.ts";
import type { Filter, RequestContext } from "../http/request-context.ts";
import { asksForWebSocket, subprotocolsOf } from "../http/web-socket.ts";
import { badRequest, unauthorized } from "../contract/status-error.ts";
import { type Attributes, type Authorizer, denied, resourceAttributes } from "../contract/authorizer.ts";

/** Returns the user of a bearer token; undefined if the token is invalid. */
type TokenReader = (token: string) => User | undefined;

/** Authenticates by client certificate or bearer token; without either, as anonymous. Invalid tokens are errors. */
export function authenticationFilter(readToken: TokenReader): Filter {
  const certificates = new WeakMap<object, User | null>();
  return (context, next) => {
    const fromCertificate = certificateUser(context, certificates);
    if (fromCertificate) {
      context.user = fromCertificate;
      return next();
    }
    const token = bearerToken(context);
    if (token !== undefined) {
      const user = readToken(token);
      if (!user) throw unauthorized();
      context.user = authenticated(user);
    }
    return next();
  };
}

function bearerToken(context: RequestContext): string | undefined {
  const header = context.request.headers.authorization ?? "";
  return /^bearer\s+(\S+)$/i.exec(header)?.[1] ?? subprotocolToken(context);
}

/** How a page in a browser, which can't set headers, gives the token of a WebSocket: as one subprotocol of several. */
const tokenPrefix = "base64url.bearer.authorization.k8s.io.";

/** The token among the subprotocols. It goes no further: the other side of the WebSocket knows the others alone. */
function subprotocolToken(context: RequestContext): string | undefined {
  if (!asksForWebSocket(context)) return undefined;
  const subprotocols = subprotocolsOf(context);
  const tokens = subprotocols.filter((name) => name.startsWith(tokenPrefix));
  const others = subprotocols.filter((name) => !name.startsWith(tokenPrefix));
  if (tokens.length === 0) return undefined;
  if (tokens.length > 1 || others.length === 0) throw unauthorized();
  context.request.headers["sec-websocket-protocol"] = others.join(", ");
  return Buffer.from(tokens[0]!.slice(tokenPrefix.length), "base64url").toString();
}

/** The user of the connection's client certificate, which is parsed once per connection. */
function certificateUser({ request }: RequestContext, cache: WeakMap<object, User | null>): User | undefined {
  const socket = request.socket as Partial<TLSSocket>;
  if (!socket.authorized) return undefined;
  let user = cache.get(request.socket);
  if (user === undefined) {
    user = readCertificate(socket as TLSSocket);
    cache.set(request.socket, user);
  }
  return user ?? undefined;
}

/** Reads the user: common name, organizations as groups, and the fingerprint as the credential's id. */
function readCertificate(socket: TLSSocket): User | null {
  const { subject, fingerprint256 } = socket.getPeerCertificate();
  if (!subject?.CN) return null;
  const { CN, O = [] } = subject as { CN: string; O?: string | string[] };
  const id = `X509SHA256=${fingerprint256.replaceAll(":", "").toLowerCase()}`;
  return authenticated({ name: CN, groups: Array.isArray(O) ? O : [O], extra: credentialId(id) });
}

/** Makes requests act as the user in their headers, as of `kubectl --as`. Throws Forbidden if the caller may not. */
export function impersonationFilter(authorizer: Authorizer): Filter {
  return (context, next) => {
    const target = impersonatedUser(context);
    if (target) {
      for (const attributes of permissionsFor(target)) {
        const { allowed, reason } = authorizer.decide(context.user, attributes);
        if (!allowed) throw denied(context.user, attributes, reason);
      }
      context.user = target.name === "system:anonymous" ? target : authenticated(target);
    }
    return next();
  };
}

/** The namespace and the name in the user name of a service account. */
const accountName = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** The user in the headers of impersonation; undefined without them. */
function impersonatedUser({ request }: RequestContext): User | undefined {
  const name = firstValue(request.headers["impersonate-user"]);
  const groups = headerValues(request.rawHeaders, "impersonate-group");
  const extra: Record<string, string[]> = {};
  for (const [key, value] of Object.entries(request.headers)) {
    if (!key.startsWith("impersonate-extra-")) continue;
    extra[decodeURIComponent(key.slice("impersonate-extra-".length))] = [firstValue(value) ?? ""];
  }
  const uid = firstValue(request.headers["impersonate-uid"]);
  if (name === undefined) {
    if (groups.length > 0 || uid !== undefined || Object.keys(extra).length > 0) {
      const fields = `UID:${JSON.stringify(uid ?? "")}, Groups:${goStrings(groups)}, Extra:${goExtra(extra)}`;
      throw badRequest(`requested &user.DefaultInfo{Name:"", ${fields}} without impersonating a user name`);
    }
    return undefined;
  }
  const optional = { ...(uid !== undefined && { uid }), ...(Object.keys(extra).length > 0 && { extra }) };
  const account = accountName.exec(name);
  if (account && groups.length === 0) return { ...serviceAccountUser(account[1]!, account[2]!), ...optional };
  return { name, groups, ...optional };
}

function firstValue(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** The values of a repeated header. Node joins them with commas, which group names may contain. */
function headerValues(raw: readonly string[], name: string): string[] {
  return raw.filter((_, index) => index % 2 === 1 && raw[index - 1]!.toLowerCase() === name);
}

/** The permissions to impersonate a user: one for the name, each group, the uid and each extra value. */
function permissionsFor({ name, groups, uid, extra = {} }: User): Attributes[] {
  const account = accountName.exec(name);
  const implied = account ? serviceAccountUser(account[1]!, account[2]!).groups : [];
  return [
    account ? impersonate("", "serviceaccounts", account[2]!, account[1]) : impersonate("", "users", name),
    ...groups.filter((group) => !implied.includes(group)).map((group) => impersonate("", "groups", group)),
    ...(uid === undefined ? [] : [impersonate("authentication.k8s.io", "uids", uid)]),
    ...Object.entries(extra).flatMap(([subresource, values]) =>
      values.map((value) => ({ ...impersonate("authentication.k8s.io", "userextras", value), subresource })),
    ),
  ];
}

function impersonate(group: string, resource: string, name: string, namespace = ""): Attributes {
  return resourceAttributes({ verb: "impersonate", group, version: "v1", resource, namespace, name });
}

/** Formats a list as Go's `%#v` does. */
function goStrings(list: readonly string[]): string {
  if (list.length === 0) return "[]string(nil)";
  return `[]string{${list.map((text) => JSON.stringify(text)).join(", ")}}`;
}

function goExtra(extra: Readonly<Record<string, readonly string[]>>): string {
  const members = Object.entries(extra)
    .sort(([a], [b]) => compareText(a, b))
    .map(([key, list]) => `${JSON.stringify(key)}:${goStrings(list)}`);
  return members.length === 0 ? "map[string][]string(nil)" : `map[string][]string{${members.join(", ")}}`;
}

/** Throws Forbidden for requests that the user may not make. */
export function authorizationFilter(authorizer: Authorizer): Filter {
  return (context, next) => {
    const attributes = attributesOf(context);
    const { allowed, reason } = authorizer.decide(context.user, attributes);
    if (!allowed) throw denied(context.user, attributes, reason);
    return next();
  };
}

/** A list or watch that selects one name by field selector is authorized like a request for that name. */
function attributesOf({ info }: RequestContext): Attributes {
  if (info.verb !== "list" && info.verb !== "watch") return info;
  const selected = /(?:^|,)metadata\.name==?([^,]+)/.exec(info.fieldSelector)?.[1];
  return info.name === "" && selected !== undefined ? { ...info, name: selected } : info;
}
