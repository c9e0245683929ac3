import { checkLabel } from "@tsbuilder/apimachinery/naming";
import { duplicate, type FieldError, invalid, notSupported, required } from "@tsbuilder/apimachinery/schema";
import type { Container, PodSpec } from "./pod-types.ts";

/** Checks a pod's spec, alone or in a template, as far as operators get it wrong. */
export function validatePodSpec(spec: PodSpec, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  errors.push(...validateVolumes(spec, `${field}.volumes`));
  if (!spec.containers?.length) errors.push(required(`${field}.containers`));
  for (const [index, container] of (spec.containers ?? []).entries()) {
    errors.push(...validateContainer(container, names, `${field}.containers[${index}]`));
  }
  for (const [index, container] of (spec.initContainers ?? []).entries()) {
    errors.push(...validateContainer(container, names, `${field}.initContainers[${index}]`));
  }
  const policies = ["Always", "OnFailure", "Never"];
  if (!policies.includes(spec.restartPolicy ?? "")) {
    errors.push(notSupported(`${field}.restartPolicy`, spec.restartPolicy, policies));
  }
  return errors;
}

const pullPolicies = ["Always", "IfNotPresent", "Never"];

function validateContainer(container: Container, names: Set<string>, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const { name = "", image = "", imagePullPolicy = "", ports = [] } = container;
  if (name === "") errors.push(required(`${field}.name`));
  else for (const detail of checkLabel(name)) errors.push(invalid(`${field}.name`, name, detail));
  if (names.has(name) && name !== "") errors.push(duplicate(`${field}.name`, name));
  names.add(name);
  if (image === "") errors.push(required(`${field}.image`));
  else if (image.trim() !== image) {
    errors.push(invalid(`${field}.image`, image, "must not have leading or trailing whitespace"));
  }
  if (!pullPolicies.includes(imagePullPolicy)) {
    errors.push(notSupported(`${field}.imagePullPolicy`, imagePullPolicy, pullPolicies));
  }
  for (const [index, { containerPort = 0, protocol = "" }] of ports.entries()) {
    const at = `${field}.ports[${index}]`;
    if (containerPort === 0) errors.push(required(`${at}.containerPort`));
    else if (containerPort < 1 || containerPort > 65535) {
      errors.push(invalid(`${at}.containerPort`, containerPort, "must be between 1 and 65535, inclusive"));
    }
    const protocols = ["SCTP", "TCP", "UDP"];
    if (!protocols.includes(protocol)) errors.push(notSupported(`${at}.protocol`, protocol, protocols));
  }
  return errors;
}

function validateVolumes({ volumes = [] }: PodSpec, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  for (const [index, { name = "" }] of volumes.entries()) {
    const at = `${field}[${index}].name`;
    if (name === "") errors.push(required(at));
    else for (const detail of checkLabel(name)) errors.push(invalid(at, name, detail));
    if (names.has(name) && name !== "") errors.push(duplicate(at, name));
    names.add(name);
  }
  return errors;
}
