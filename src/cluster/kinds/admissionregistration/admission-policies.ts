import { invalid, required } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { checkLabel1035, checkQualifiedName, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import type * as v1 from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import type { PolicySpec } from "../../expressions/policy.ts";
import { PolicyCompiler } from "../../expressions/policy-compiler.ts";
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import { compilationProblems, matchConditionProblems } from "./match-conditions.ts";
import {
  defaultMatchResources,
  fileNameProblems,
  matchResourcesProblems,
  operationProblems,
} from "./match-resources.ts";
import {
  type Problems,
  choice,
  each,
  itemsOf,
  needed,
  optionalChoice,
  refused,
  unique,
} from "../checks/problems.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { readField, size } from "../cells.ts";
import type { Fields } from "../fill-in.ts";
import { conditionProblems } from "../checks/meta-types.ts";

export const validatingAdmissionPolicy: BuiltInKind = {
  resource: "validatingadmissionpolicies.admissionregistration.k8s.io",
  metadataChecks: { update: ["new"], status: [], qualifiedFinalizers: false },
  strategy: {
    createOnStatusApply: true,
    validate: (object) => [...validatingPolicyProblems(object), ...fileNameProblems(object)],
    validateUpdate: (object, old, { subresource }) => [
      ...(subresource === "status"
        ? policyStatusProblems(statusOf(object))
        : validatingPolicyProblems(object, old)),
    ],
    default: defaultPolicy,
  },
  cells: { Validations: size("spec.validations"), ParamKind: paramKindCell },
};

function statusOf(object: ApiObject): Sent<v1.ValidatingAdmissionPolicyStatus> {
  return object["status"] ?? {};
}

function* policyStatusProblems({
  typeChecking,
  conditions,
}: Sent<v1.ValidatingAdmissionPolicyStatus>): Problems {
  const field = "status.typeChecking.expressionWarnings";
  for (const [at, { fieldRef, warning }] of itemsOf(field, typeChecking?.expressionWarnings)) {
    yield* needed(`${at}.fieldRef`, fieldRef, fieldReferenceReasons);
    yield* needed(`${at}.warning`, warning);
  }
  yield* conditionProblems("status.conditions", conditions);
}

/** Checks the brackets of a JSONPath, which hold indexes, quoted names and filters. The rest of it is not checked. */
function fieldReferenceReasons(path: string): string[] {
  const parts = [...path.matchAll(/\[(?<index>[^\]]*)\]/gu)].map(({ groups }) => groups!["index"]!);
  const wrong = parts.find((index) => !/^(?:'.*'|".*"|\?.*|[-\d:,*]+)$/u.test(index));
  return wrong === undefined ? [] : [`invalid JSONPath: invalid array index ${wrong}`];
}

/** Validates a ValidatingAdmissionPolicy; on an update, `old` is the stored one. */
function* validatingPolicyProblems(object: ApiObject, old?: ApiObject): Problems {
  const spec = (object["spec"] ?? {}) as v1.ValidatingAdmissionPolicySpec;
  const { validations = [], auditAnnotations = [], variables = [] } = spec;
  yield* commonProblems(spec, old?.["spec"] as PolicySpec | undefined);
  const compiler = new PolicyCompiler({
    params: spec.paramKind !== undefined,
    variables: variables.length > 0,
  });
  yield* variableProblems(variables, compiler);
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const detail = "validations or auditAnnotations must contain at least one item";
    yield required("spec.validations", detail);
    yield required("spec.auditAnnotations", detail);
    return;
  }
  yield* each("spec.validations", validations, (at, item) => validationProblems(at, item, compiler));
  yield* auditAnnotationProblems(object.metadata.name ?? "", auditAnnotations, compiler);
}

/** Validates the common fields of both kinds of policies; `matchProblems` are more rules for what they match. */
function* commonProblems(spec: PolicySpec, old: PolicySpec | undefined, matchProblems?: Problems): Problems {
  const choices = "admissionregistration/v1.ValidatingAdmissionPolicySpec";
  if (spec.failurePolicy === undefined) yield required("spec.failurePolicy");
  else yield* optionalChoice("spec.failurePolicy", spec.failurePolicy, choices);
  if (spec.paramKind) yield* paramKindProblems(spec.paramKind);
  const { matchConstraints: match } = spec;
  if (!match) yield required("spec.matchConstraints");
  else {
    yield* matchResourcesProblems("spec.matchConstraints", match);
    if (!match.resourceRules?.length) yield required("spec.matchConstraints.resourceRules");
    if (matchProblems) yield* matchProblems;
  }
  const unchanged =
    old && isEqual(old.paramKind, spec.paramKind) && isEqual(old.matchConditions, spec.matchConditions);
  if (unchanged) return;
  const params = spec.paramKind !== undefined;
  yield* matchConditionProblems("spec.matchConditions", [...(spec.matchConditions ?? [])], { params });
}

function* paramKindProblems({ apiVersion = "", kind = "" }: NonNullable<PolicySpec["paramKind"]>): Problems {
  const field = "spec.paramKind.apiVersion";
  const parts = apiVersion === "/" ? [""] : apiVersion.split("/");
  const [version = "", group = ""] = parts.toReversed();
  if (apiVersion === "") yield required(field);
  else if (parts.length > 2)
    yield invalid(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
  else {
    const wrong = group === "" ? [] : checkSubdomain(group);
    if (wrong.length > 0) yield invalid(field, group, wrong.join(","));
    const reasons = checkLabel1035(version);
    if (version === "") yield invalid(field, apiVersion, "version must be specified");
    else if (reasons.length > 0) yield invalid(field, version, reasons.join(","));
  }
  const reasons = checkLabel1035(kind.toLowerCase());
  if (kind === "") yield required("spec.paramKind.kind");
  else if (reasons.length > 0) {
    const detail = `may have mixed case, but should otherwise match: ${reasons.join(",")}`;
    yield invalid("spec.paramKind.kind", kind, detail);
  }
}

function* variableProblems(list: NonNullable<PolicySpec["variables"]>, compiler: PolicyCompiler): Problems {
  for (const [field, { name = "", expression = "" }] of itemsOf("spec.variables", list)) {
    if (name.trim() === "") yield required(`${field}.name`, "name is not specified");
    else if (!isIdentifier(name)) yield invalid(`${field}.name`, name, "must be a valid CEL identifier");
    if (expression.trim() === "") yield required(`${field}.expression`, "expression is not specified");
    else yield* compilationProblems(`${field}.expression`, expression, compiler.variable(name, expression));
  }
}

const reservedWords = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

function isIdentifier(name: string): boolean {
  return /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !reservedWords.has(name);
}

function* validationProblems(
  field: string,
  validation: Partial<v1.Validation>,
  compiler: PolicyCompiler,
): Problems {
  const { expression = "", message = "", messageExpression = "", reason } = validation;
  if (expression.trim() === "") yield required(`${field}.expression`, "expression is not specified");
  else yield* compilationProblems(`${field}.expression`, expression, compiler.condition(expression));
  if (messageExpression !== "") {
    const at = `${field}.messageExpression`;
    if (messageExpression.trim() === "")
      yield invalid(at, messageExpression, "must be non-empty if specified");
    else yield* compilationProblems(at, messageExpression, compiler.message(messageExpression));
  }
  if (message !== "" && message.trim() === "") {
    yield invalid(`${field}.message`, message, "must be non-empty if specified");
  } else if (/[\n\r]/.test(message.trim())) {
    yield invalid(`${field}.message`, message, "must not contain line breaks");
  }
  yield* optionalChoice(`${field}.reason`, reason, ["Forbidden", "Invalid", "RequestEntityTooLarge"]);
}

const mostAuditAnnotations = 20;
const longestValueExpression = 5 * 1024;

function* auditAnnotationProblems(
  policy: string,
  annotations: NonNullable<v1.ValidatingAdmissionPolicySpec["auditAnnotations"]>,
  compiler: PolicyCompiler,
): Problems {
  const field = "spec.auditAnnotations";
  if (annotations.length > mostAuditAnnotations)
    yield invalid(field, annotations, `must not have more than ${mostAuditAnnotations} auditAnnotations`);
  const uniqueKey = unique();
  for (const [at, { key = "", valueExpression = "" }] of itemsOf(field, annotations)) {
    const text = valueExpression.trim();
    yield* refused(`${at}.key`, `${policy}/${key}`, checkQualifiedName(`${policy}/${key}`));
    if (text === "") yield required(`${at}.valueExpression`, "valueExpression is not specified");
    else if (Buffer.byteLength(text) > longestValueExpression) {
      yield required(`${at}.valueExpression`, `must not exceed ${longestValueExpression} bytes in length`);
    } else
      yield* compilationProblems(`${at}.valueExpression`, valueExpression, compiler.auditAnnotation(text));
    yield* uniqueKey(`${at}.key`, key);
  }
}

function paramKindCell(object: object): string {
  const kind = readField<v1.ParamKind>(object, "spec.paramKind");
  return kind ? `${kind.apiVersion}/${kind.kind}` : "<unset>";
}

function defaultPolicy(object: ApiObject): void {
  defaultMatchResources((object["spec"] as Fields)["matchConstraints"]);
}

export const mutatingAdmissionPolicy: BuiltInKind = {
  resource: "mutatingadmissionpolicies.admissionregistration.k8s.io",
  metadataChecks: { update: ["new"], status: [], qualifiedFinalizers: false },
  strategy: {
    validate: (object) => [...mutatingPolicyProblems(object), ...fileNameProblems(object)],
    validateUpdate: (object, old) => [...mutatingPolicyProblems(object, old)],
    default: defaultPolicy,
  },
  cells: { Mutations: size("spec.mutations"), ParamKind: paramKindCell },
};

function* mutatingPolicyProblems(object: ApiObject, old?: ApiObject): Problems {
  const spec = (object["spec"] ?? {}) as v1.MutatingAdmissionPolicySpec;
  const operations = operationProblems("spec.matchConstraints", spec.matchConstraints);
  yield* commonProblems(spec, old?.["spec"] as PolicySpec | undefined, operations);
  const compiler = new PolicyCompiler({ params: spec.paramKind !== undefined, variables: true });
  yield* variableProblems(spec.variables ?? [], compiler);
  const { mutations = [] } = spec;
  if (mutations.length === 0) yield required("spec.mutations", "mutations must contain at least one item");
  yield* each("spec.mutations", mutations, (at, mutation) => mutationProblems(at, mutation, compiler));
  yield* choice(
    "spec.reinvocationPolicy",
    spec.reinvocationPolicy,
    "admissionregistration/v1.MutatingAdmissionPolicySpec",
  );
}

function* mutationProblems(
  field: string,
  mutation: Partial<v1.Mutation>,
  compiler: PolicyCompiler,
): Problems {
  const { patchType } = mutation;
  yield* choice(`${field}.patchType`, patchType, "admissionregistration/v1.Mutation");
  if (patchType !== "JSONPatch" && patchType !== "ApplyConfiguration") return;
  const patchField = patchType === "JSONPatch" ? "jsonPatch" : "applyConfiguration";
  const otherField = patchType === "JSONPatch" ? "applyConfiguration" : "jsonPatch";
  const patch = mutation[patchField];
  const text = (patch?.expression ?? "").trim();
  if (!patch) yield required(`${field}.${patchField}`, `must be specified when patchType is ${patchType}`);
  else if (text === "") yield required(`${field}.${patchField}.expression`);
  else yield* compilationProblems(`${field}.${patchField}.expression`, text, compiler[patchField](text));
  if (mutation[otherField]) {
    yield invalid(
      `${field}.${otherField}`,
      `{${otherField}}`,
      `must not be specified when patchType is ${patchType}`,
    );
  }
}
