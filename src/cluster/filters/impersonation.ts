import { compareText } from "@tsbuilder/apimachinery/text";
import { type Attributes, type Authorizer, resourceAttributes } from "../contract/authorizer.ts";
import { authenticated, serviceAccountUser, type User } from "../contract/user.ts";
import type { Filter, RequestContext } from "../http/request-context.ts";
import { badRequest } from "../contract/status-error.ts";
import { denied } from "../contract/denied.ts";

/** Impersonates another user if the caller may: `kubectl --as`. */
export function impersonationFilter(authorizer: Authorizer): Filter {
  return (context, next) => {
    const wanted = readHeaders(context);
    if (wanted) {
      for (const attributes of permissionsFor(wanted)) {
        const { allowed, reason } = authorizer.decide(context.user, attributes);
        if (!allowed) throw denied(context.user, attributes, reason);
      }
      context.user = wanted.name === "system:anonymous" ? wanted : authenticated(wanted);
    }
    return next();
  };
}

function readHeaders({ request }: RequestContext): User | undefined {
  const name = header(request.headers["impersonate-user"]);
  const groups = splitRaw(request.rawHeaders, "impersonate-group");
  const extra: Record<string, string[]> = {};
  for (const [key, value] of Object.entries(request.headers)) {
    if (!key.startsWith("impersonate-extra-")) continue;
    extra[decodeURIComponent(key.slice("impersonate-extra-".length))] = [header(value) ?? ""];
  }
  const uid = header(request.headers["impersonate-uid"]);
  if (name === undefined) {
    if (groups.length > 0 || uid !== undefined || Object.keys(extra).length > 0) {
      throw badRequest(
        `requested &user.DefaultInfo{Name:"", UID:${JSON.stringify(uid ?? "")}, Groups:${goStrings(groups)}, Extra:${goExtra(extra)}} without impersonating a user name`,
      );
    }
    return undefined;
  }
  const more = { ...(uid !== undefined && { uid }), ...(Object.keys(extra).length > 0 && { extra }) };
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name);
  if (account && groups.length === 0) return { ...serviceAccountUser(account[1]!, account[2]!), ...more };
  return { name, groups, ...more };
}

function header(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** The values of a repeated header. Node joins them with commas, which group names may contain too. */
function splitRaw(raw: readonly string[], name: string): string[] {
  return raw.filter((_, index) => index % 2 === 1 && raw[index - 1]!.toLowerCase() === name);
}

function permissionsFor({ name, groups, uid, extra = {} }: User): Attributes[] {
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name);
  const implied = account ? serviceAccountUser(account[1]!, account[2]!).groups : [];
  return [
    account ? impersonate("", "serviceaccounts", account[2]!, account[1]) : impersonate("", "users", name),
    ...groups.filter((group) => !implied.includes(group)).map((group) => impersonate("", "groups", group)),
    ...(uid === undefined ? [] : [impersonate("authentication.k8s.io", "uids", uid)]),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => ({
        ...impersonate("authentication.k8s.io", "userextras", value),
        subresource: key,
      })),
    ),
  ];
}

function impersonate(group: string, resource: string, name: string, namespace = ""): Attributes {
  return resourceAttributes({ verb: "impersonate", group, version: "v1", resource, namespace, name });
}

/** How Go shows a list of texts. */
function goStrings(list: readonly string[]): string {
  return list.length === 0
    ? "[]string(nil)"
    : `[]string{${list.map((text) => JSON.stringify(text)).join(", ")}}`;
}

function goExtra(extra: Readonly<Record<string, readonly string[]>>): string {
  const members = Object.entries(extra)
    .sort(([a], [b]) => compareText(a, b))
    .map(([key, list]) => `${JSON.stringify(key)}:${goStrings(list)}`);
  return members.length === 0 ? "map[string][]string(nil)" : `map[string][]string{${members.join(", ")}}`;
}
