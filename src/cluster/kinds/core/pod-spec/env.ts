import { checkLabel, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { invalid } from "@tsbuilder/apimachinery/errors";
import { checkConfigKey, checkObjectName, checkVariableName } from "../../checks/names.ts";
import { withoutBacksteps } from "../../checks/paths.ts";
import { needed, type Problems, refused } from "../../checks/problems.ts";
import { containerResources, fieldReference, resourceReference } from "./references.ts";
import type { SecretKeySelector, EnvVar, EnvFromSource } from "./types.ts";

const variableFields = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];

export function* variables(field: string, list: readonly EnvVar[] = []): Problems {
  for (const [index, variable] of list.entries()) {
    const at = `${field}[${index}]`;
    yield* needed(`${at}.name`, variable.name, checkVariableName);
    yield* variableValue(`${at}.valueFrom`, variable);
  }
}

function* variableValue(field: string, { value, valueFrom }: EnvVar): Problems {
  if (!valueFrom) return;
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom;
  if (fieldRef) yield* fieldReference(`${field}.fieldRef`, fieldRef, variableFields);
  if (resourceFieldRef) {
    yield* resourceReference(`${field}.resourceFieldRef`, resourceFieldRef, containerResources);
  }
  if (configMapKeyRef) yield* keyReference(`${field}.configMapKeyRef`, configMapKeyRef);
  if (secretKeyRef) yield* keyReference(`${field}.secretKeyRef`, secretKeyRef);
  if (fileKeyRef) {
    yield* needed(`${field}.fileKeyRef.key`, fileKeyRef.key, checkVariableName);
    yield* needed(`${field}.fileKeyRef.volumeName`, fileKeyRef.volumeName, checkLabel);
    yield* needed(`${field}.fileKeyRef.path`, fileKeyRef.path);
    yield* withoutBacksteps(`${field}.fileKeyRef.path`, fileKeyRef.path ?? "");
  }
  const sources = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef];
  const count = sources.filter(Boolean).length;
  if (count === 0) {
    yield invalid(
      field,
      "",
      "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`",
    );
  } else if (value) yield invalid(field, "", "may not be specified when `value` is not empty");
  else if (count > 1) yield invalid(field, "", "may not have more than one field specified at a time");
}

function* keyReference(field: string, { name = "", key }: SecretKeySelector): Problems {
  yield* refused(`${field}.name`, name, checkSubdomain(name));
  yield* needed(`${field}.key`, key, checkConfigKey);
}

export function* variableSources(field: string, list: readonly EnvFromSource[] = []): Problems {
  for (const [index, { prefix = "", configMapRef, secretRef }] of list.entries()) {
    const at = `${field}[${index}]`;
    yield* refused(`${at}.prefix`, prefix, checkVariableName(prefix));
    if (configMapRef) yield* needed(`${at}.configMapRef.name`, configMapRef.name, checkObjectName);
    if (secretRef) yield* needed(`${at}.secretRef.name`, secretRef.name, checkObjectName);
    if (!configMapRef && !secretRef) {
      yield invalid(field, "", "must specify one of: `configMapRef` or `secretRef`");
    } else if (configMapRef && secretRef) {
      yield invalid(field, "", "may not have more than one field specified at a time");
    }
  }
}
