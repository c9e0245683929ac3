/**
 * Compares two states of an API and says whom each change breaks. Begin here: this file compares CRDs, `compare-schemas.ts`
 * their schemas; `rules.ts` has the severity of each class of changes, and `witness.ts` finds an object that shows a change.
 * These four read no files; `project-crds.ts` generates and reads the CRDs of a project.
 */

import { isEqual } from "@tsbuilder/apimachinery/json";
import type { CRDSpec, CRDVersion } from "@tsbuilder/apimachinery/crd";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import { compareText } from "@tsbuilder/apimachinery/text";
import { compareSchemas } from "./compare-schemas.ts";
import { placeText, type SchemaChange } from "./schema-change.ts";
import { type ChangeRule, type ChangeSeverity, type Party, rules } from "./rules.ts";
import { checkedVersion, findWitness, hasScalarAt, type Witness } from "./witness.ts";

/** A CRD. Only its name and its spec are compared. */
export interface ComparedCrd {
  readonly metadata: { readonly name: string };
  readonly spec: CRDSpec;
}

/** A change of an API. */
export interface ApiChange {
  readonly rule: ChangeRule;
  readonly severity: ChangeSeverity;
  readonly breaks: readonly Party[];
  /** The name of the CRD: `mysqls.apps.example.com`. */
  readonly crd: string;
  /** The version; absent if the change affects all versions. */
  readonly version?: string;
  /** The place in an object of that version: `.spec.ports[].name`. Empty if the change affects the whole object. */
  readonly path: string;
  readonly message: string;
  /** The place in the new CRD, in the notation of the API server's errors. */
  readonly field: string;
  readonly witness?: Witness;
}

/** Compares all CRDs of two states. The changes are sorted by CRD. */
export function compareCrds(old: readonly ComparedCrd[], next: readonly ComparedCrd[]): ApiChange[] {
  const names = [...new Set([...old, ...next].map(({ metadata }) => metadata.name))].sort(compareText);
  return names.flatMap((name) => {
    const [before, after] = [old, next].map((crds) => crds.find(({ metadata }) => metadata.name === name));
    if (!before) return [change("crd-added", name, `the kind ${after!.spec.names.kind} was added`)];
    if (!after)
      return [change("crd-removed", name, `the kind ${before.spec.names.kind} no longer has a CRD`)];
    return compareCrd(name, before.spec, after.spec);
  });
}

/** The place of a change, and the object that shows it. */
interface Where {
  readonly version?: string;
  readonly path?: string;
  readonly field?: string;
  readonly witness?: Witness | undefined;
}

function change(
  rule: ChangeRule,
  crd: string,
  message: string,
  { version, path = "", field = "", witness }: Where = {},
): ApiChange {
  const { severity, breaks } = rules[rule];
  return {
    rule,
    severity: severity === "witness" ? (witness ? "error" : "warning") : severity,
    breaks,
    crd,
    ...(version !== undefined && { version }),
    path,
    message,
    field,
    ...(witness && { witness }),
  };
}

function compareCrd(crd: string, old: CRDSpec, next: CRDSpec): ApiChange[] {
  const changes: ApiChange[] = [];
  const add = (rule: ChangeRule, message: string, where: Where = {}): void =>
    void changes.push(change(rule, crd, message, where));
  const rejected = "an API server rejects this update of the CRD";
  if (old.scope !== next.scope)
    add("scope-changed", `the scope was ${old.scope} and is now ${next.scope}; ${rejected}`, {
      field: "spec.scope",
    });
  if (old.names.kind !== next.names.kind)
    add("kind-changed", `the kind was ${old.names.kind} and is now ${next.names.kind}; ${rejected}`, {
      field: "spec.names.kind",
    });
  for (const name of removedNames(old, next))
    add("name-removed", `the ${name} was removed`, { field: "spec.names.shortNames" });
  const [storedBefore, storedNow] = [old, next].map(
    ({ versions }) => versions.find(({ storage }) => storage)?.name,
  );
  if (storedBefore !== storedNow)
    add(
      "storage-version-changed",
      `objects were stored in ${storedBefore} and are now stored in ${storedNow}: existing objects stay in ${storedBefore} until they are written again, and the CRD must keep ${storedBefore} until then`,
    );
  const [strategyBefore, strategyNow] = [old, next].map(({ conversion }) => conversion?.strategy);
  if (strategyBefore && strategyNow && strategyBefore !== strategyNow && old.versions.length > 1)
    add("conversion-changed", `the conversion strategy was ${strategyBefore} and is now ${strategyNow}`, {
      field: "spec.conversion",
    });
  for (const before of old.versions) {
    const after = next.versions.find(({ name }) => name === before.name);
    changes.push(...(after ? compareVersion(crd, before, after, next) : [removal(crd, before)]));
  }
  for (const { name, served } of next.versions) {
    if (old.versions.some((version) => version.name === name)) continue;
    add("version-added", "the version was added", { version: name, field: versionField(next, name) });
    if (served && strategyNow === "None") changes.push(...compareWithStorage(crd, name, next));
  }
  return changes;
}

function removedNames({ names: old }: CRDSpec, { names: next }: CRDSpec): string[] {
  const removed = (before: readonly string[] = [], after: readonly string[] = []): readonly string[] =>
    before.filter((name) => !after.includes(name));
  return [
    ...removed(old.shortNames, next.shortNames).map((name) => `short name ${name}`),
    ...removed(old.categories, next.categories).map((name) => `category ${name}`),
    ...(old.singular !== next.singular ? [`singular name ${old.singular}`] : []),
    ...(old.listKind !== next.listKind ? [`list kind ${old.listKind}`] : []),
  ];
}

function removal(crd: string, { name: version, served, storage }: CRDVersion): ApiChange {
  if (storage)
    return change("version-removed", crd, "the version was removed, and objects are stored in it", {
      version,
    });
  if (served) return change("version-removed", crd, "the version was removed", { version });
  const message =
    "the version, which was not served, was removed; an API server rejects this while status.storedVersions lists it";
  return change("unserved-version-removed", crd, message, { version });
}

function versionField({ versions }: CRDSpec, name: string): string {
  return `spec.versions[${versions.findIndex((version) => version.name === name)}]`;
}

function compareVersion(crd: string, before: CRDVersion, after: CRDVersion, next: CRDSpec): ApiChange[] {
  const { name: version } = after;
  const field = versionField(next, version);
  const changes: ApiChange[] = [];
  const add = (rule: ChangeRule, message: string, part: string, path = ""): void =>
    void changes.push(change(rule, crd, message, { version, field: `${field}.${part}`, path }));
  if (before.served && !after.served) add("version-unserved", "the version is no longer served", "served");
  // Nobody reads or writes objects in a version that is neither served nor stored.
  if (!after.served && !after.storage) return changes;
  const [hadStatus, hasStatus] = [before, after].map(
    ({ subresources }) => subresources?.status !== undefined,
  );
  if (hadStatus && !hasStatus)
    add("status-removed", "the status is no longer a subresource", "subresources.status");
  if (!hadStatus && hasStatus)
    add("status-added", "the status is now a subresource, and other writes ignore it", "subresources.status");
  const [scaleBefore, scaleNow] = [before, after].map(({ subresources }) => subresources?.scale);
  if (scaleBefore && !scaleNow)
    add("scale-removed", "the scale subresource was removed", "subresources.scale");
  if (scaleBefore && scaleNow && !isEqual(scaleBefore, scaleNow))
    add("scale-changed", "the paths of the scale subresource changed", "subresources.scale");
  for (const { jsonPath } of before.selectableFields ?? []) {
    if (after.selectableFields?.some((other) => other.jsonPath === jsonPath)) continue;
    const message = `field selectors can no longer name ${jsonPath}`;
    add("selectable-field-removed", message, "selectableFields", jsonPath);
  }
  const columnsOf = ({ additionalPrinterColumns = [] }: CRDVersion): unknown =>
    additionalPrinterColumns.map(({ name, jsonPath, type, priority = 0 }) => ({
      name,
      jsonPath,
      type,
      priority,
    }));
  if (!isEqual(columnsOf(before), columnsOf(after)))
    add("column-changed", "the columns of kubectl get changed", "additionalPrinterColumns");
  const [oldVersion, newVersion] = [before, after].map((one) =>
    checkedVersion(`${next.group}/${version}`, next.names.kind, schemaOf(one)),
  );
  for (const found of compareSchemas(oldVersion!.schema, newVersion!.schema)) {
    const witness = findWitness(oldVersion!, newVersion!, found);
    const where = {
      version,
      witness,
      path: placeText(found.steps),
      field: `${field}${schemaField(found)}`,
    };
    changes.push(weigh(change(found.rule, crd, found.message, where), found, hasStatus === true));
  }
  return changes;
}

/** Corrects the severity of a schema's change, and whom it breaks, where the place or the witness shows that it breaks fewer. */
function weigh(found: ApiChange, { steps, aim, isHarmless }: SchemaChange, hasStatus: boolean): ApiChange {
  const { rule, severity, breaks, witness } = found;
  if (isHarmless || (aim?.isAboutNewField && !witness)) return { ...found, severity: "none", breaks: [] };
  const [first] = steps;
  const isStatus = hasStatus && typeof first === "object" && first.property === "status";
  // Only the operator writes a status, and it writes the whole status again.
  if (isStatus && breaks.length > 0) {
    const stays = severity !== "error" || aim?.expects === "lost" || rule === "type-changed";
    return { ...found, severity: stays ? severity : "warning", breaks: ["clients"] };
  }
  // An API server does not validate the unchanged scalar of a stored object again.
  const isRatcheted = witness?.unchanged !== undefined && hasScalarAt(witness, steps);
  return isRatcheted ? { ...found, breaks: breaks.filter((party) => party !== "stored objects") } : found;
}

function schemaOf({ schema }: CRDVersion): JSONSchema {
  return schema?.openAPIV3Schema ?? { type: "object" };
}

function schemaField({ steps, keyword, beside = steps }: SchemaChange): string {
  const inner = beside
    .map((step) => (typeof step === "string" ? `.${step}` : `.properties[${step.property}]`))
    .join("");
  return `.schema.openAPIV3Schema${inner}${keyword === undefined ? "" : `.${keyword}`}`;
}

/**
 * Compares a new version with the storage version of a CRD without conversion. An API server only changes `apiVersion` between
 * them, so that fields of one version that the other one lacks are lost.
 */
function compareWithStorage(crd: string, version: string, next: CRDSpec): ApiChange[] {
  const added = next.versions.find(({ name }) => name === version)!;
  const storage = next.versions.find((other) => other.storage)!;
  const directions = [
    [storage, added],
    [added, storage],
  ] as const;
  return directions.flatMap(([from, to]) => {
    const [source, target] = [from, to].map((one) =>
      checkedVersion(`${next.group}/${one.name}`, next.names.kind, schemaOf(one)),
    );
    return compareSchemas(schemaOf(from), schemaOf(to)).flatMap((found): ApiChange[] => {
      const witness = found.aim?.expects === "lost" && findWitness(source!, target!, found);
      if (!witness) return [];
      const path = placeText(found.steps);
      const message = `an object in ${from.name} has ${path}, which ${to.name} lacks, and there is no conversion that keeps it`;
      const field = `${versionField(next, to.name)}${schemaField(found)}`;
      return [change("version-loses-data", crd, message, { version: to.name, path, witness, field })];
    });
  });
}
