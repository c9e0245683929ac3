import { forbidden } from "../contract/status-error.ts";
import type { Write } from "./write.ts";

/**
 * Denies a PUT or a server-side apply that would create an object if the user may only update or patch. As on the real
 * server, the message does not name the missing verb, unless the authorizer does.
 */
export function allowCreation({ core, resource, version, namespace, name, user }: Write): void {
  const { allowed, reason } = core.authorizer.decide(user, {
    verb: "create",
    isResource: true,
    group: resource.group,
    version,
    resource: resource.plural,
    subresource: "",
    namespace,
    name,
    path: "",
  });
  if (!allowed) throw forbidden(resource, name, reason);
}
