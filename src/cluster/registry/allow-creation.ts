import { resourceAttributes } from "../contract/authorizer.ts";
import { denied } from "../contract/denied.ts";
import type { Write } from "./write.ts";

/** Denies a PUT or a server-side apply that would create an object if the user may only update or patch. */
export function allowCreation({ core, resource, version, namespace, name, user }: Write): void {
  const { group, plural } = resource;
  const attributes = resourceAttributes({
    verb: "create",
    group,
    version,
    resource: plural,
    namespace,
    name,
  });
  const { allowed, reason } = core.authorizer.decide(user, attributes);
  if (!allowed) throw denied(user, attributes, reason);
}
