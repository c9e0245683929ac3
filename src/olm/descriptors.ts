import type { FieldDescriptor } from "./csv.ts";

/** The part of an OpenAPI schema that descriptors are made from. */
export interface DescribedSchema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, DescribedSchema>>;
}

/** Describes the fields of a spec or status; those inside of them only have descriptors if somebody writes them. */
export function describeFields(schema: DescribedSchema | undefined): FieldDescriptor[] {
  return Object.entries(schema?.properties ?? {}).map(([path, { description }]) => ({
    ...(description === undefined ? {} : { description }),
    displayName: inWords(path),
    path,
  }));
}

/** A name as words: `minReadySeconds` is "Min Ready Seconds", `clusterIPs` "Cluster IPs". */
export function inWords(name: string): string {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z]{2,})/gu, "$1 $2");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
