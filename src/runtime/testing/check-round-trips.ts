import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { createJSONPatch } from "@tsbuilder/apimachinery/patch";
import type { CompiledSchema, JSONSchema } from "@tsbuilder/apimachinery/schema";
import { TerminalError } from "../errors/api-error.ts";
import { completeConverted } from "../webhook/convert.ts";
import type { Conversion, ConvertedObject } from "../webhook/webhooks.ts";
import { readCRDs } from "./create-crd-validator.ts";

/**
 * Converts objects to the hub and back, and the results to the spoke and back. Throws if one came back changed: the API
 * server stores one version, so what a conversion loses is lost for good.
 */
export function checkRoundTrip<Hub extends KubernetesObject, Spoke extends KubernetesObject>(
  conversion: Conversion<Hub, Spoke>,
  ...spokes: readonly Spoke[]
): void {
  for (const spoke of spokes) {
    const hub = withMetadata(conversion.toHub(structuredClone(spoke)), spoke);
    const spokeAgain = withMetadata(conversion.fromHub(structuredClone(hub)), spoke);
    assertEqual(spoke, spokeAgain, `${spoke.apiVersion} ${spoke.kind} by way of the hub`);
    const hubAgain = withMetadata(conversion.toHub(structuredClone(spokeAgain)), spoke);
    assertEqual(hub, hubAgain, `the hub of ${spoke.kind} by way of ${spoke.apiVersion}`);
  }
}

function withMetadata<T extends KubernetesObject>(
  converted: ConvertedObject<T>,
  source: KubernetesObject,
): T {
  return completeConverted(converted, source.apiVersion, source) as T;
}

function assertEqual(before: KubernetesObject, after: KubernetesObject, description: string): void {
  const differences = createJSONPatch(sent(before), sent(after));
  if (differences.length > 0)
    throw new Error(`${description} came back changed: ${JSON.stringify(differences)}`);
}

/** Drops undefined fields, which are not sent. */
function sent(object: KubernetesObject): KubernetesObject {
  return JSON.parse(JSON.stringify(object)) as KubernetesObject;
}

type FieldValues = Readonly<Record<string, readonly unknown[]>>;

/** What `checkRoundTrips` draws. */
export interface RoundTrips<Hub extends KubernetesObject, Spoke extends KubernetesObject> {
  readonly hub: Kind<Hub>;
  readonly spoke: Kind<Spoke>;
  /** Where the CRD is: a file or a folder. Default: `config/crd/bases`. */
  readonly crds?: string | undefined;
  /** The objects that are drawn of each version. Default: 200. */
  readonly count?: number | undefined;
  /** Values of fields whose meaning the schema doesn't say: `{ hub: { "spec.schedule": ["0 3 * * *"] } }`. */
  readonly values?: { readonly [version in "hub" | "spoke"]?: FieldValues } | undefined;
  /** Leaves out objects that no conversion has to keep, such as those that a webhook rejects. */
  readonly only?: ((object: Hub | Spoke) => boolean) | undefined;
}

/**
 * Draws valid objects of both versions from their schemas, and converts each to the other version and back. Throws if one came
 * back changed, with the smallest object that does. The same objects are drawn each time.
 */
export async function checkRoundTrips<Hub extends KubernetesObject, Spoke extends KubernetesObject>(
  conversion: Conversion<Hub, Spoke>,
  { hub, spoke, crds = "config/crd/bases", count = 200, values = {}, only }: RoundTrips<Hub, Spoke>,
): Promise<void> {
  const { drawValue, Random, shrinkValue } = await import("@tsbuilder/apimachinery/sample");
  const [hubSchema, spokeSchema] = await Promise.all([hub, spoke].map((kind) => schemaOf(kind, crds)));
  const toHub: Direction["there"] = (object) => conversion.toHub(object as Spoke);
  const fromHub: Direction["there"] = (object) => conversion.fromHub(object as Hub);
  const directions: readonly Direction[] = [
    { from: hub, to: spoke, schema: hubSchema!, values: values.hub ?? {}, there: fromHub, back: toHub },
    { from: spoke, to: hub, schema: spokeSchema!, values: values.spoke ?? {}, there: toHub, back: fromHub },
  ];
  for (const direction of directions) {
    const { from, to, schema, values: given } = direction;
    let kept = 0;
    const random = new Random(1).fork(from.apiVersion);
    const complete = (content: object): KubernetesObject => ({
      ...content,
      apiVersion: from.apiVersion,
      kind: from.kind,
      metadata: { name: "example" },
    });
    const lossOf = (content: object): string | undefined => {
      const object = sent(schema.compiled.applyDefaults(complete(content)));
      const isDrawn =
        schema.compiled.validate(object).length === 0 && (only?.(object as Hub | Spoke) ?? true);
      if (isDrawn) kept++;
      return isDrawn ? lossAfter(object, direction) : undefined;
    };
    for (let drawn = 0; drawn < count; drawn++) {
      const optional = [0.2, 0.5, 0.9][drawn % 3]!;
      const content = drawValue(schema.written, "", { random, values: given, optional }) as object;
      if (lossOf(content) === undefined) continue;
      const smallest = shrinkValue(content, (smaller) => lossOf(smaller) !== undefined);
      const { apiVersion, kind } = from;
      throw new Error(
        `${apiVersion} ${kind} by way of ${to.version} ${lossOf(smallest)}: ${JSON.stringify(complete(smallest), null, 2)}`,
      );
    }
    if (kept === 0)
      throw new TerminalError(
        `no valid ${from.kind} of ${from.version} was drawn: say in "values" what its fields may hold`,
      );
  }
}

interface Direction {
  readonly from: Kind;
  readonly to: Kind;
  readonly schema: { readonly written: JSONSchema; readonly compiled: CompiledSchema };
  readonly values: FieldValues;
  readonly there: (object: KubernetesObject) => ConvertedObject<KubernetesObject>;
  readonly back: Direction["there"];
}

/** Returns what is wrong with an object after both conversions; undefined if it is what it was. */
function lossAfter(
  object: KubernetesObject,
  { from, to, schema, there, back }: Direction,
): string | undefined {
  try {
    const other = completeConverted(there(structuredClone(object)), to.apiVersion, object);
    const again = completeConverted(back(structuredClone(other)), from.apiVersion, object);
    const differences = createJSONPatch(object, schema.compiled.applyDefaults(withoutEmpty(sent(again))));
    return differences.length === 0 ? undefined : `comes back changed by ${JSON.stringify(differences)}`;
  } catch (error) {
    return `makes the conversion throw ${String(error)}`;
  }
}

/** The API server doesn't tell empty labels and annotations from absent ones. */
function withoutEmpty({ metadata, ...rest }: KubernetesObject): KubernetesObject {
  const kept = Object.entries(metadata).filter(([, value]) => JSON.stringify(value) !== "{}");
  return { ...rest, metadata: Object.fromEntries(kept) };
}

async function schemaOf({ group, version, kind }: Kind, crds: string): Promise<Direction["schema"]> {
  const { compileValidator } = await import("@tsbuilder/apimachinery/cel");
  const found = (await readCRDs(crds)).find(({ spec }) => spec?.group === group && spec.names.kind === kind);
  const written = found?.spec.versions.find(({ name }) => name === version)?.schema.openAPIV3Schema;
  if (!written) throw new TerminalError(`"${crds}" has no CRD for ${kind} of ${group}/${version}`);
  // Names and labels are not what versions differ in.
  const { metadata: _, apiVersion: __, kind: ___, ...properties } = (written as JSONSchema).properties ?? {};
  return { written: { ...written, properties }, compiled: compileValidator(written) };
}
