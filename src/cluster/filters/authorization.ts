import type { Attributes, Authorizer } from "../contract/authorizer.ts";
import type { User } from "../contract/user.ts";
import type { Filter, RequestContext } from "../http/request-context.ts";
import { qualifiedName, StatusError } from "../contract/status-error.ts";

/** Denies requests that the authorizer does not allow. */
export function authorizationFilter(authorizer: Authorizer): Filter {
  return (context, next) => {
    const attributes = attributesOf(context);
    const { allowed, reason } = authorizer.decide(context.user, attributes);
    if (!allowed) throw denied(context.user, attributes, reason);
    return next();
  };
}

/** A list or watch that selects one name by field selector is authorized like a request for that name. */
function attributesOf({ info, query }: RequestContext): Attributes {
  return info.name === "" ? { ...info, name: selectedName(query) } : info;
}

function selectedName(query: URLSearchParams): string {
  return /(?:^|,)metadata\.name==?([^,]+)/.exec(query.get("fieldSelector") ?? "")?.[1] ?? "";
}

/** The Forbidden error, with the real server's message. */
export function denied(user: User, attributes: Attributes, reason = ""): StatusError {
  const { isResource, group, resource, name } = attributes;
  const why = reason === "" ? "" : `: ${reason}`;
  if (!isResource) {
    const message = `forbidden: User ${JSON.stringify(user.name)} cannot ${attributes.verb} path ${JSON.stringify(attributes.path)}${why}`;
    return new StatusError(403, "Forbidden", message, {});
  }
  const qualified = qualifiedName({ group, plural: resource });
  const subject = name === "" ? qualified : `${qualified} ${JSON.stringify(name)}`;
  const message = `${subject} is forbidden: ${describeDenial(user, attributes)}${why}`;
  return new StatusError(403, "Forbidden", message, {
    ...(name !== "" && { name }),
    ...(group !== "" && { group }),
    kind: resource,
  });
}

function describeDenial(user: User, { verb, group, resource, subresource, namespace }: Attributes): string {
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(namespace)}`;
  return `User ${JSON.stringify(user.name)} cannot ${verb} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`;
}
