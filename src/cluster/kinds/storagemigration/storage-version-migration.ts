import { invalid, invalidStruct, required } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import type { Condition } from "@tsbuilder/apimachinery/meta";
import { checkLabel1035, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import type { BuiltInKind } from "../built-in-kind.ts";
import { storageVersionMigrator } from "./storage-version-migrator.ts";
import { conditionProblems } from "../checks/meta-types.ts";
import type { Problems } from "../checks/problems.ts";
import type { Sent, SentObject } from "../../contract/api-object.ts";

type Migration = SentObject<
  { resource?: { group?: string; resource?: string } },
  { conditions?: Sent<Condition>[]; resourceVersion?: string }
>;

/** A request to store all objects of a resource again. Since 1.37. */
export const storageVersionMigration: BuiltInKind<"storageversionmigrator"> = {
  resource: "storageversionmigrations.storagemigration.k8s.io",
  metadataChecks: { update: ["new", "update"] },
  controllers: { storageversionmigrator: storageVersionMigrator },
  strategy: {
    validate: (object) => [...resourceProblems(object as Migration)],
    validateUpdate: (object, old, { subresource }) =>
      subresource === "status"
        ? [...statusProblems(object as Migration, old as Migration)]
        : [...resourceProblems(object as Migration), ...specChanges(object as Migration, old as Migration)],
  },
  cells: {
    Resource(object) {
      const { group = "", resource = "" } = (object as unknown as Migration).spec.resource ?? {};
      return group === "" ? resource : `${resource}.${group}`;
    },
    Status: (object) =>
      ((object as unknown as Migration).status?.conditions ?? []).findLast(
        ({ type = "", status }) => status === "True" && ["Running", "Failed", "Succeeded"].includes(type),
      )?.type ?? "Unknown",
  },
};

function* resourceProblems({ spec }: Migration): Problems {
  const { group = "", resource = "" } = spec.resource ?? {};
  const problems = { resource: checkLabel1035(resource), group: group === "" ? [] : checkSubdomain(group) };
  if (resource === "") yield required("spec.resource.resource", "resource is required to be set");
  else if (problems.resource.length > 0)
    yield invalid("spec.resource.resource", resource, problems.resource.join(","));
  if (problems.group.length > 0) yield invalid("spec.resource.group", group, problems.group.join(","));
}

function* specChanges({ spec }: Migration, { spec: old }: Migration): Problems {
  const { group = "", resource = "" } = spec.resource ?? {};
  if (!isEqual(spec, old))
    yield invalidStruct("spec", { Resource: { group, resource } }, "field is immutable");
}

function* statusProblems({ status = {} }: Migration, { status: old = {} }: Migration): Problems {
  const { resourceVersion: version = "", conditions } = status;
  const field = "status.resourceVersion";
  if (version !== "" && !/^[1-9]\d*$/u.test(version))
    yield invalid(field, version, `resource version is not well formed: ${version}`);
  yield* conditionProblems("status.conditions", conditions);
  if (old.resourceVersion && old.resourceVersion !== version)
    yield invalid(field, version, "field is immutable");
  const isTrue = (each: Migration["status"], wanted: string): boolean =>
    each?.conditions?.find(({ type }) => type === wanted)?.status === "True";
  const refuse = (detail: string) => invalid("status.conditions", conditions ?? null, detail);
  if (isTrue(status, "Succeeded") && isTrue(status, "Failed"))
    yield refuse("Both success and failed conditions cannot be true at the same time");
  for (const [type, word] of Object.entries({ Succeeded: "Success", Failed: "Failed" })) {
    if (isTrue(old, type) && !isTrue(status, type))
      yield refuse(`${word} condition cannot be set to false once it is true`);
  }
}
