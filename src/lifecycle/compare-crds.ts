/**
 * What has changed between two states of an API, and whom it breaks. Begin here: CRDs are compared, their schemas by
 * `compare-schemas.ts`; `rules.ts` says how severe each class is; `witness.ts` draws an object that shows it. None of
 * these reads files: `project-crds.ts` makes and reads a project's CRDs.
 */

import { isEqual } from "@tsbuilder/apimachinery/json";
import type { CRDSpec, CRDVersion } from "@tsbuilder/apimachinery/crd";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import { compareText } from "@tsbuilder/apimachinery/text";
import { compareSchemas, placeText, type SchemaChange } from "./compare-schemas.ts";
import { type ChangeRule, type ChangeSeverity, type Party, rules } from "./rules.ts";
import { checkedVersion, findWitness, hasScalarAt, type Witness } from "./witness.ts";

/** A CRD, of which only the name and the spec are compared. */
export interface ComparedCrd {
  readonly metadata: { readonly name: string };
  readonly spec: CRDSpec;
}

/** A change of an API. */
export interface ApiChange {
  readonly rule: ChangeRule;
  readonly severity: ChangeSeverity;
  readonly breaks: readonly Party[];
  /** The CRD's name: `mysqls.apps.example.com`. */
  readonly crd: string;
  /** The version; absent if the change is about all of them. */
  readonly version?: string;
  /** The place in an object of that version: `.spec.ports[].name`. Empty if the change is about all of it. */
  readonly path: string;
  readonly message: string;
  /** The place in the new CRD, as in the API server's errors. */
  readonly field: string;
  readonly witness?: Witness;
}

/** Compares all CRDs of two states, sorted by CRD, version and path. */
export function compareCrds(old: readonly ComparedCrd[], next: readonly ComparedCrd[]): ApiChange[] {
  const names = [...new Set([...old, ...next].map(({ metadata }) => metadata.name))].sort(compareText);
  return names.flatMap((name) => {
    const [before, after] = [old, next].map((crds) => crds.find(({ metadata }) => metadata.name === name));
    if (!before) return [change("crd-added", name, `the kind ${after!.spec.names.kind} is new`)];
    if (!after)
      return [change("crd-removed", name, `the kind ${before.spec.names.kind} has no CRD any more`)];
    return compareCrd(name, before.spec, after.spec);
  });
}

/** Where a change is. */
interface Where {
  readonly version?: string;
  readonly path?: string;
  readonly field?: string;
  readonly witness?: Witness | undefined;
  /** The value isn't validated again while it is unchanged, and nothing else is part of it. */
  readonly isSpared?: boolean;
}

function change(
  rule: ChangeRule,
  crd: string,
  message: string,
  { version, path = "", field = "", witness, isSpared = false }: Where = {},
): ApiChange {
  const { severity, breaks } = rules[rule];
  return {
    rule,
    severity: severity === "witness" ? (witness ? "error" : "warning") : severity,
    breaks: isSpared ? breaks.filter((party) => party !== "stored objects") : breaks,
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
  if (old.scope !== next.scope)
    add(
      "scope-changed",
      `the scope was ${old.scope} and is ${next.scope}; an API server refuses this update of the CRD`,
      { field: "spec.scope" },
    );
  if (old.names.kind !== next.names.kind)
    add(
      "kind-changed",
      `the kind was ${old.names.kind} and is ${next.names.kind}; an API server refuses this update of the CRD`,
      { field: "spec.names.kind" },
    );
  for (const name of lostNames(old, next))
    add("name-removed", `the ${name} is gone`, { field: "spec.names.shortNames" });
  const storedBefore = old.versions.find(({ storage }) => storage)?.name;
  const storedAfter = next.versions.find(({ storage }) => storage)?.name;
  if (storedBefore !== storedAfter)
    add(
      "storage-version-changed",
      `objects were stored in ${storedBefore}, and are in ${storedAfter}: those of before stay as they are until they are written again, and ${storedBefore} must stay in the CRD until then`,
    );
  const [converted, converts] = [old, next].map(({ conversion }) => conversion?.strategy);
  if (converted && converts && converted !== converts && old.versions.length > 1)
    add("conversion-changed", `the strategy of conversion was ${converted} and is ${converts}`, {
      field: "spec.conversion",
    });
  for (const before of old.versions) {
    const after = next.versions.find(({ name }) => name === before.name);
    if (!after) {
      const version = before.name;
      if (before.storage)
        add("version-removed", "the version is gone, and objects are stored in it", { version });
      else if (before.served) add("version-removed", "the version is gone", { version });
      else
        add(
          "unserved-version-removed",
          "the version, which was not served, is gone; an API server refuses this while status.storedVersions has it",
          { version },
        );
    } else changes.push(...compareVersion(crd, before, after, next));
  }
  for (const { name, served } of next.versions) {
    if (old.versions.some((version) => version.name === name)) continue;
    add("version-added", "the version is new", { version: name, field: versionField(next, name) });
    if (served && converts === "None") changes.push(...compareWithStorage(crd, name, next));
  }
  return changes;
}

function lostNames({ names: old }: CRDSpec, { names: next }: CRDSpec): string[] {
  const gone = (before: readonly string[] = [], after: readonly string[] = []): readonly string[] =>
    before.filter((name) => !after.includes(name));
  return [
    ...gone(old.shortNames, next.shortNames).map((name) => `short name ${name}`),
    ...gone(old.categories, next.categories).map((name) => `category ${name}`),
    ...(old.singular !== next.singular ? [`singular ${old.singular}`] : []),
    ...(old.listKind !== next.listKind ? [`kind of lists ${old.listKind}`] : []),
  ];
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
  if (before.served && !after.served) add("version-unserved", "the version is not served any more", "served");
  // Nobody reads or writes objects in a version that is neither served nor stored.
  if (!after.served && !after.storage) return changes;
  const [status, hasStatus] = [before, after].map(({ subresources }) => subresources?.status !== undefined);
  if (status && !hasStatus)
    add("status-removed", "the status is no subresource any more", "subresources.status");
  if (!status && hasStatus)
    add("status-added", "the status is a subresource now, and other writes ignore it", "subresources.status");
  const [scale, newScale] = [before, after].map(({ subresources }) => subresources?.scale);
  if (scale && !newScale) add("scale-removed", "the scale subresource is gone", "subresources.scale");
  if (scale && newScale && !isEqual(scale, newScale))
    add("scale-changed", "the scale subresource has other paths", "subresources.scale");
  for (const { jsonPath } of before.selectableFields ?? [])
    if (!after.selectableFields?.some((other) => other.jsonPath === jsonPath))
      add(
        "selectable-field-removed",
        `field selectors can't name ${jsonPath} any more`,
        "selectableFields",
        jsonPath,
      );
  const columns = ({ additionalPrinterColumns = [] }: CRDVersion): unknown =>
    additionalPrinterColumns.map(({ name, jsonPath, type, priority = 0 }) => ({
      name,
      jsonPath,
      type,
      priority,
    }));
  if (!isEqual(columns(before), columns(after)))
    add("column-changed", "the columns of kubectl get are others", "additionalPrinterColumns");
  const [old, changed] = [before, after].map(schemaOf);
  const apiVersion = `${next.group}/${version}`;
  const [oldVersion, newVersion] = [old!, changed!].map((schema) =>
    checkedVersion(apiVersion, next.names.kind, schema),
  );
  for (const one of compareSchemas(old!, changed!)) {
    const witness = findWitness(oldVersion!, newVersion!, one);
    const isSpared = witness?.unchanged !== undefined && hasScalarAt(witness, one.steps);
    changes.push(
      inContext(
        one,
        change(one.rule, crd, one.message, {
          version,
          witness,
          isSpared,
          path: placeText(one.steps),
          field: `${field}${schemaField(one)}`,
        }),
        hasStatus,
      ),
    );
  }
  return changes;
}

/** Weighs a change by its place: nobody but the operator writes a status. */
function inContext(
  { steps: [first], aim, isHarmless }: SchemaChange,
  found: ApiChange,
  hasStatus = false,
): ApiChange {
  if (isHarmless || (aim?.isAboutNewField && !found.witness))
    return { ...found, severity: "none", breaks: [] };
  const isStatus = hasStatus && typeof first === "object" && first.property === "status";
  if (!isStatus || found.breaks.length === 0) return found;
  const severity = aim?.expects === "lost" || found.rule === "type-changed" ? "error" : "warning";
  return { ...found, severity: found.severity === "error" ? severity : found.severity, breaks: ["clients"] };
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

/** Compares a new version with the stored one, if only `apiVersion` changes between them: what one of them lacks is lost. */
function compareWithStorage(crd: string, version: string, next: CRDSpec): ApiChange[] {
  const added = next.versions.find(({ name }) => name === version)!;
  const storage = next.versions.find((other) => other.storage)!;
  const pairs = [
    [storage, added],
    [added, storage],
  ] as const;
  return pairs.flatMap(([from, to]) => {
    const [fromVersion, toVersion] = [from, to].map((one) =>
      checkedVersion(`${next.group}/${one.name}`, next.names.kind, schemaOf(one)),
    );
    return compareSchemas(schemaOf(from), schemaOf(to)).flatMap((one): ApiChange[] => {
      if (one.aim?.expects !== "lost") return [];
      const witness = findWitness(fromVersion!, toVersion!, one);
      if (!witness) return [];
      const path = placeText(one.steps);
      const message = `between ${from.name} and ${to.name} only apiVersion is converted, and ${to.name} has no ${path}`;
      return [
        change("version-loses-data", crd, message, {
          version: to.name,
          path,
          witness,
          field: `${versionField(next, to.name)}${schemaField(one)}`,
        }),
      ];
    });
  });
}
