import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import type { ApiObject } from "../contract/api-object.ts";
import type { Registry } from "./registry.ts";
import type { Resource } from "./resource.ts";

/** Why an object is not one of a resource. */
export interface WrongType {
  readonly why: string;
  /** Whether its kind is served, in this version, by another resource. */
  readonly isServed: boolean;
}

/** Explains in Go's words why an object of this kind and apiVersion can't be decoded as one of a built-in resource. */
export function explainType(
  { kind, apiVersion }: ApiObject,
  { group, kind: wanted }: Resource,
  registry: Registry,
): WrongType {
  const sent = parseApiVersion(apiVersion);
  const isServed =
    registry.findKind(sent.group, kind)?.versions.some(({ name }) => name === sent.version) ?? false;
  const internal = group === "" ? "core" : group.split(".")[0]!;
  const why = isServed
    ? `converting (${sent.version}.${kind}) to (${internal}.${wanted}): unknown conversion`
    : `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
  return { why, isServed };
}
