import type { Attributes } from "./authorizer.ts";
import { qualifiedName, StatusError } from "./status-error.ts";
import type { User } from "./user.ts";

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
