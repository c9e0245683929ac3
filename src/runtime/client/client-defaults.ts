import type { Kind } from "@tsbuilder/apimachinery/meta";
import type { ClientDefaults } from "./client.ts";
import type { WriteOptions } from "./options.ts";
import { TerminalError } from "../errors/terminal-error.ts";

/** The options of a write, with the client's defaults for those that the call omits. */
export function withDefaults<Options extends WriteOptions>(
  { fieldManager, fieldValidation, dryRun }: ClientDefaults,
  options: Options,
): Options {
  return {
    ...options,
    fieldManager: options.fieldManager ?? fieldManager,
    fieldValidation: options.fieldValidation ?? fieldValidation,
    dryRun: options.dryRun ?? dryRun,
  };
}

/** The namespace of a call; undefined for cluster-scoped kinds and for all namespaces. */
export function namespaceOf(
  kind: Kind,
  { namespace: only }: ClientDefaults,
  namespace: string | undefined,
): string | undefined {
  if (kind.scope === "Cluster") return undefined;
  if (only && namespace && namespace !== only) {
    throw new TerminalError(`this client is bound to namespace "${only}", so "${namespace}" is out of reach`);
  }
  return namespace ?? only;
}

/** Throws for a call without the namespace that its kind needs. */
export function required(kind: Kind, namespace: string | undefined): string | undefined {
  if (kind.scope === "Namespaced" && !namespace) {
    throw new TerminalError(`a ${kind.kind} needs a namespace: objects of this kind live in one`);
  }
  return namespace;
}
