import { forbidden } from "../contract/status-error.ts";
import type { Write } from "./write.ts";

/**
 * Refuses a PUT or a server-side apply that would create what its user may only update or patch. As in the real
 * server the refusal does not say which verb is missing, unless the authorizer does.
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
