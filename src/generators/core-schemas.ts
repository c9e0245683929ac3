import type { CoreSchema } from "./schema/environment.ts";
import { listMapKeysOf, wellKnownSchema } from "./schema/well-known.ts";

/** Loads what is known of Kubernetes' own types, and gives a way to look them up. */
export async function coreSchemas(): Promise<(specifier: string, name: string) => CoreSchema | undefined> {
  return (_specifier, name) => {
    const schema = wellKnownSchema(name, false);
    return schema && { schema, listMapKeys: listMapKeysOf(name) };
  };
}
