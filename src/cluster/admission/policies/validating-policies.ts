import type {
  ValidatingAdmissionPolicySpec,
  Validation,
} from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import { OutOfBudgetError, messageLimit, runtimeBudget } from "@tsbuilder/apimachinery/cel";
import type { AdmissionRequest } from "../../registry/core.ts";
import type { Registry } from "../../registry/registry.ts";
import { StatusError } from "../../contract/status-error.ts";
import type { Compilation, Evaluation, Names } from "../../expressions/expression.ts";
import { Budget, conditionsHold, runExpression } from "../../expressions/expression.ts";
import { type AdmissionPlugin, refusalSubject } from "../admission.ts";
import type { CompiledPolicy, PolicyCall, PolicyContext, PolicyFault, PolicyNames } from "./policies.ts";
import { ActivePolicies, compileCommon, findCalls, isExempt, policyNames } from "./policies.ts";

/** Evaluates all matching ValidatingAdmissionPolicies; the client receives the first denial. */
export function validatingPolicies(cluster: PolicyContext & { registry: Registry }): AdmissionPlugin {
  const policies = new ActivePolicies(cluster.store, "validating", compileValidatingPolicy);
  return {
    name: "ValidatingAdmissionPolicy",
    async validate(request) {
      const active = policies.list();
      if (active.length === 0 || isExempt(request)) return;
      const refusals: StatusError[] = [];
      for await (const outcome of findCalls(active, request, cluster)) {
        if ("fault" in outcome) refusals.push(...refuseFault(outcome, request));
        else refusals.push(...(await evaluate(outcome, request, cluster)));
      }
      if (refusals[0]) throw refusals[0];
    },
  };
}

interface CompiledValidation {
  readonly validation: Validation;
  readonly condition: Compilation;
  readonly message: Compilation | undefined;
}

interface CompiledValidatingPolicy extends CompiledPolicy {
  readonly validations: readonly CompiledValidation[];
  readonly annotations: readonly Compilation[];
}

function compileValidatingPolicy(spec: ValidatingAdmissionPolicySpec): CompiledValidatingPolicy {
  const common = compileCommon(spec);
  const { compiler } = common;
  return {
    ...common,
    validations: (spec.validations ?? []).map((validation) => ({
      validation,
      condition: compiler.condition(validation.expression),
      message: validation.messageExpression ? compiler.message(validation.messageExpression) : undefined,
    })),
    annotations: (spec.auditAnnotations ?? []).map(({ valueExpression }) =>
      compiler.auditAnnotation(valueExpression),
    ),
  };
}

type Fault = PolicyFault<ValidatingAdmissionPolicySpec>;

function refuseFault({ policy, binding, fault }: Fault, request: AdmissionRequest): StatusError[] {
  if (policy.spec.failurePolicy === "Ignore") return [];
  const name = `'${policy.metadata.name}'`;
  const who = binding ? `${name} with binding '${binding.metadata.name}'` : name;
  return [refusal(request, `ValidatingAdmissionPolicy ${who} denied request: ${fault}`, undefined)];
}

type Call = PolicyCall<ValidatingAdmissionPolicySpec, CompiledValidatingPolicy>;

/** A reason for which a policy denies a request. */
interface Objection {
  readonly message: string;
  readonly reason?: string | undefined;
  /** The policy could not be evaluated: its failure policy decides whether this counts. */
  readonly isFailure?: boolean;
  /** From an audit annotation: denies the request regardless of the binding's validation actions. */
  readonly ignoresActions?: boolean;
}

/** Evaluates a policy, and warns about or denies the request according to the binding's validation actions. */
async function evaluate(call: Call, request: AdmissionRequest, cluster: PolicyContext) {
  const { policy, binding, compiled } = call;
  const objections = evaluatePolicy(compiled, await policyNames(call, request, cluster));
  const counted =
    policy.spec.failurePolicy === "Ignore" ? objections.filter(({ isFailure }) => !isFailure) : objections;
  const who = `ValidatingAdmissionPolicy '${policy.metadata.name}' with binding '${binding.metadata.name}'`;
  const denies = ({ ignoresActions }: Objection) =>
    ignoresActions || binding.spec.validationActions?.includes("Deny");
  if (binding.spec.validationActions?.includes("Warn")) {
    for (const { message, ignoresActions } of counted) {
      if (!ignoresActions) request.warn(`Validation failed for ${who}: ${message}`);
    }
  }
  return counted
    .filter(denies)
    .map(({ message, reason }) => refusal(request, `${who} denied request: ${message}`, reason));
}

/** Evaluates a validating policy for one request and returns its objections. */
function evaluatePolicy(compiled: CompiledValidatingPolicy, names: PolicyNames): Objection[] {
  const budget = new Budget(runtimeBudget);
  try {
    const holds = conditionsHold(compiled.conditions, names);
    if (holds === false) return [];
    if (holds !== true) return [failure(holds.error)];
    return [
      ...evaluateValidations(compiled, names(budget), budget, names),
      ...evaluateAnnotations(compiled, names),
    ];
  } catch (error) {
    if (error instanceof OutOfBudgetError) return [failure(error.message)];
    throw error;
  }
}

function evaluateValidations(
  { validations }: CompiledValidatingPolicy,
  names: Names,
  budget: Budget,
  policyNames: PolicyNames,
): Objection[] {
  const outcomes = validations.map(({ condition }) => runExpression(condition, names, budget));
  const messages = evaluateMessages(validations, policyNames(budget), budget);
  return outcomes.flatMap((outcome, index) => {
    if ("error" in outcome) return [failure(outcome.error)];
    if (messages instanceof OutOfBudgetError)
      return [failure(`failed messageExpression: ${messages.message}`)];
    if (outcome.value === true) return [];
    const { validation } = validations[index]!;
    return [{ message: messageOf(validations[index]!, messages[index]), reason: validation.reason }];
  });
}

/** Messages are evaluated even if they are not needed; if they exceed the cost budget, every validation fails. */
function evaluateMessages(
  validations: readonly CompiledValidation[],
  names: Names,
  budget: Budget,
): Array<Evaluation | undefined> | OutOfBudgetError {
  try {
    return validations.map(({ message }) => message && runExpression(message, names, budget));
  } catch (error) {
    if (error instanceof OutOfBudgetError) return error;
    throw error;
  }
}

/** The result of the messageExpression if it is one line and not too long; otherwise the message, or the expression. */
function messageOf({ validation }: CompiledValidation, evaluated: Evaluation | undefined): string {
  const value = evaluated && "value" in evaluated ? evaluated.value : undefined;
  const text = typeof value === "string" ? value.trim() : "";
  if (text !== "" && !text.includes("\n") && Buffer.byteLength(text) <= messageLimit) return text;
  return validation.message?.trim() || `failed expression: ${validation.expression.trim()}`;
}

/** Evaluates audit annotations. There is no audit log here, but an annotation that fails denies the request. */
function evaluateAnnotations({ annotations }: CompiledValidatingPolicy, names: PolicyNames): Objection[] {
  const budget = new Budget(runtimeBudget);
  const expressionNames = names(budget);
  return annotations.flatMap((annotation) => {
    const outcome = runExpression(annotation, expressionNames, budget);
    return "error" in outcome ? [{ ...failure(outcome.error), ignoresActions: true }] : [];
  });
}

function failure(message: string): Objection {
  return { message, isFailure: true };
}

/** The HTTP codes of the reasons that a validation may give; 422 for any other. */
const reasonCodes: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
};

/** The error of a denial. Its message says `is forbidden` for every reason. */
function refusal(request: AdmissionRequest, message: string, reason = "Invalid"): StatusError {
  const { text, details } = refusalSubject(request);
  const causes = [{ message }];
  return new StatusError(reasonCodes[reason] ?? 422, reason, `${text} is forbidden: ${message}`, {
    ...details,
    causes,
  });
}
