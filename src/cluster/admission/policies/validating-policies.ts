import type { AdmissionRequest } from "../../registry/admission-request.ts";
import type { Registry } from "../../registry/registry.ts";
import { StatusError } from "../../contract/status-error.ts";
import type { AdmissionPlugin } from "../admission.ts";
import { refusalSubject } from "../refusal-subject.ts";
import { ActivePolicies } from "./active-policies.ts";
import { type CompiledValidatingPolicy, compileValidatingPolicy } from "./compile-policy.ts";
import { type PolicyContext, policyNames } from "./evaluation.ts";
import { isExempt } from "./exempt.ts";
import { findCalls, type PolicyCall, type PolicyFault } from "./find-calls.ts";
import { evaluatePolicy, type Objection } from "./evaluate-policy.ts";
import type { ValidatingAdmissionPolicySpec } from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";

type Call = PolicyCall<ValidatingAdmissionPolicySpec, CompiledValidatingPolicy>;
type Fault = PolicyFault<ValidatingAdmissionPolicySpec>;

/** Evaluates all matching ValidatingAdmissionPolicies; the client receives the first denial. */
export function validatingPolicies(cluster: PolicyContext & { registry: Registry }): AdmissionPlugin {
  const policies = new ActivePolicies(cluster.store, "validating", compileValidatingPolicy);
  return {
    name: "ValidatingAdmissionPolicy",
    async validate(request) {
      const active = policies.list();
      if (active.length === 0 || isExempt(request)) return;
      const refusals: StatusError[] = [];
      for await (const found of findCalls(active, request, cluster)) {
        if ("fault" in found) refusals.push(...refuseFault(found, request));
        else refusals.push(...(await evaluate(found, request, cluster)));
      }
      if (refusals[0]) throw refusals[0];
    },
  };
}

function refuseFault({ policy, binding, fault }: Fault, request: AdmissionRequest): StatusError[] {
  if (policy.spec.failurePolicy === "Ignore") return [];
  const name = `'${policy.metadata.name}'`;
  const who = binding ? `${name} with binding '${binding.metadata.name}'` : name;
  return [refusal(request, `ValidatingAdmissionPolicy ${who} denied request: ${fault}`, undefined)];
}

/** Evaluates a policy, and warns about or denies the request according to the binding's validation actions. */
async function evaluate(
  call: Call,
  request: AdmissionRequest,
  cluster: PolicyContext,
): Promise<StatusError[]> {
  const { policy, binding, compiled } = call;
  const objections = evaluatePolicy(compiled, await policyNames(call, request, cluster));
  const counted =
    policy.spec.failurePolicy === "Ignore" ? objections.filter(({ failed }) => !failed) : objections;
  const who = `ValidatingAdmissionPolicy '${policy.metadata.name}' with binding '${binding.metadata.name}'`;
  const denies = ({ always }: Objection) => always || binding.spec.validationActions?.includes("Deny");
  if (binding.spec.validationActions?.includes("Warn")) {
    for (const { message, always } of counted) {
      if (!always) request.warn(`Validation failed for ${who}: ${message}`);
    }
  }
  return counted
    .filter(denies)
    .map(({ message, reason }) => refusal(request, `${who} denied request: ${message}`, reason));
}

const codes: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
};

/** The message always says `is forbidden`, whatever reason the policy gives. */
function refusal(request: AdmissionRequest, message: string, reason = "Invalid"): StatusError {
  const { text, details } = refusalSubject(request);
  const causes = [{ message }];
  return new StatusError(codes[reason] ?? 422, reason, `${text} is forbidden: ${message}`, {
    ...details,
    causes,
  });
}
