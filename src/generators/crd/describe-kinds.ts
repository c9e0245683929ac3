import { type GeneratedCrd, generateCrds } from "./generate-crds.ts";
import type { Marker } from "../markers/collect.ts";
import { descriptorMarker } from "../markers/families/descriptors.ts";
import { projectOptions } from "../model/options.ts";
import { ProjectSources } from "../sources/project-sources.ts";
import { descriptorsKey, type Schema } from "../model/schema.ts";
import type { SourceTree } from "../model/files.ts";

/** The description of a kind in OLM's console, from the markers on the kind and its fields. */
export interface KindDescription {
  readonly name: string;
  readonly version: string;
  readonly displayName: string | undefined;
  readonly order: number | undefined;
  /** Kind, version and, if it is known, name. */
  readonly resources: readonly (readonly string[])[];
  readonly spec: readonly FieldDescription[];
  readonly status: readonly FieldDescription[];
}

/** Reads the markers about OLM's console in a project. Errors in the sources are ignored: `manifests` reports them. */
export async function describeKinds(tree: SourceTree): Promise<KindDescription[]> {
  const sources = await ProjectSources.load(tree, projectOptions(tree));
  return sources.hasSyntaxErrors ? [] : generateCrds(sources).flatMap(describe);
}

/** The description of a field in OLM's console. */
export interface FieldDescription {
  /** Within spec or status: `volumes[0].size`. */
  readonly path: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly displayName: string | undefined;
  readonly order: number | undefined;
  readonly xDescriptors: readonly string[];
}

function describe({ crd, kinds }: GeneratedCrd): KindDescription[] {
  return crd.spec.versions.map(({ name: version, schema }) => {
    const kind = kinds.find((candidate) => candidate.version === version);
    const markers = (kind?.markers ?? []).filter(({ name }) => name === descriptorMarker);
    const { properties = {} } = schema.openAPIV3Schema;
    const order = firstArgument(markers, "order");
    return {
      name: crd.metadata.name,
      version,
      displayName: firstArgument(markers, "displayName") as string | undefined,
      order: order === undefined ? undefined : Number(order),
      resources: markers.flatMap(({ args }) => (args["resources"] ?? []) as readonly (readonly string[])[]),
      spec: describeFields(properties["spec"], "spec"),
      status: describeFields(properties["status"], "status"),
    };
  });
}

/** Returns the first value of an argument among several markers. */
function firstArgument(markers: readonly Marker[], name: string): unknown {
  return markers.map(({ args }) => args[name]).find((value) => value !== undefined);
}

/** The fields with a marker of this type, outer ones first. */
function describeFields(schema: Schema | undefined, type: string, prefix = ""): FieldDescription[] {
  return Object.entries(schema?.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const markers = (field[descriptorsKey] ?? []).filter((marker) => marker.type === type);
    const described =
      markers.length === 0
        ? []
        : [
            {
              path,
              name,
              description: field.description,
              displayName: markers.find(({ displayName }) => displayName !== undefined)?.displayName,
              order: markers.find(({ order }) => order !== undefined)?.order,
              xDescriptors: markers.flatMap(({ xDescriptors }) => xDescriptors),
            },
          ];
    const inside = field.items ? `${path}[0].` : `${path}.`;
    return [...described, ...describeFields(field.items ?? field, type, inside)];
  });
}
