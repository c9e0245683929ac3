import type { Kind } from "@tsbuilder/apimachinery/meta";
import { TerminalError } from "../errors/terminal-error.ts";

/** The URL path of a collection, an object or a subresource. */
export function resourcePath(
  kind: Kind,
  {
    namespace,
    name,
    subresource,
  }: { namespace?: string | undefined; name?: string; subresource?: string } = {},
): string {
  let path = kind.group === "" ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  if (kind.scope === "Namespaced" && namespace) path += `/namespaces/${encodeURIComponent(namespace)}`;
  path += `/${kind.plural}`;
  if (name !== undefined) {
    if (kind.scope === "Namespaced" && !namespace) {
      throw new TerminalError(`${kind.kind} "${name}" needs a namespace: objects of this kind live in one`);
    }
    path += `/${encodeURIComponent(name)}`;
  }
  return subresource === undefined ? path : `${path}/${subresource}`;
}
