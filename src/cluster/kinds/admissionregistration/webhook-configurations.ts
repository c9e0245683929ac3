import { isEqual } from "@tsbuilder/apimachinery/json";
import type { MutatingWebhook } from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import type { JSONValue } from "@tsbuilder/apimachinery/meta";
import { checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { invalid, required, ruled } from "@tsbuilder/apimachinery/errors";
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import { selectorProblems } from "../checks/meta-types.ts";
import { type Problems, each, optionalChoice, itemsOf, unique } from "../checks/problems.ts";
import { matchConditionProblems } from "./match-conditions.ts";
import { fileNameProblems, matchEverythingDefaults, requestRuleProblems } from "./match-resources.ts";
import { reviewVersionProblems, webhookClientProblems } from "../checks/webhook-client.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { size } from "../cells.ts";
import { eachOf, fillIn } from "../fill-in.ts";

const sideEffects = ["None", "NoneOnDryRun"];

/** The type in whose fields the generated tables have the choices; ValidatingWebhook has the same. */
const webhookType = "admissionregistration/v1.MutatingWebhook";

export const validatingWebhookConfiguration = defineConfiguration("validatingwebhookconfigurations");

/** Declares a kind of configurations. They have no spec; a change of their webhooks is a new generation. */
function defineConfiguration(resource: string): BuiltInKind {
  return {
    resource: `${resource}.admissionregistration.k8s.io`,
    metadataChecks: { update: ["new"], status: [], qualifiedFinalizers: false },
    strategy: {
      specChanged: (object, old) => !isEqual(object["webhooks"], old["webhooks"]),
      default(object) {
        for (const webhook of eachOf(object, "webhooks")) fillIn(webhook, matchEverythingDefaults);
      },
      validate: (object) => [...webhookProblems(object), ...fileNameProblems(object)],
      validateUpdate: (object, old) => [...webhookProblems(object, old)],
    },
    cells: { Webhooks: size("webhooks") },
  };
}

/** A webhook of either kind: mutating ones have all fields of validating ones. */
type Webhook = Sent<MutatingWebhook>;

function* webhookProblems(object: ApiObject, old?: ApiObject): Problems {
  // Stored match conditions were valid when they were written.
  const conditionsKnown = old !== undefined && isEqual(conditionsOf(object), conditionsOf(old));
  const uniqueName = unique();
  for (const [field, webhook] of itemsOf("webhooks", (object["webhooks"] ?? []) as Webhook[])) {
    const { name = "" } = webhook;
    yield* webhookFieldProblems(field, webhook);
    if (!conditionsKnown) {
      yield* matchConditionProblems(`${field}.matchConditions`, webhook.matchConditions ?? [], {
        params: false,
      });
    }
    yield* reviewVersionProblems(
      `${field}.admissionReviewVersions`,
      webhook.admissionReviewVersions ?? [],
      "must specify one of v1, v1beta1",
    );
    if (name !== "") yield* ruled("unique names", uniqueName(`${field}.name`, name));
  }
}

function conditionsOf(object: ApiObject): JSONValue[] {
  return ((object["webhooks"] ?? []) as Webhook[]).map(
    ({ matchConditions = [] }) => matchConditions as JSONValue,
  );
}

function* webhookFieldProblems(field: string, webhook: Webhook): Problems {
  yield* webhookNameProblems(`${field}.name`, webhook.name ?? "");
  yield* each(`${field}.rules`, webhook.rules, requestRuleProblems);
  yield* optionalChoice(`${field}.failurePolicy`, webhook.failurePolicy, webhookType);
  yield* optionalChoice(`${field}.matchPolicy`, webhook.matchPolicy, webhookType);
  if (webhook.sideEffects === undefined) {
    yield required(`${field}.sideEffects`, `must specify one of ${sideEffects.join(", ")}`);
  } else {
    yield* ruled("side effects", optionalChoice(`${field}.sideEffects`, webhook.sideEffects, sideEffects));
  }
  const { timeoutSeconds: seconds } = webhook;
  if (seconds !== undefined && (seconds < 1 || seconds > 30)) {
    yield invalid(`${field}.timeoutSeconds`, seconds, "the timeout value must be between 1 and 30 seconds");
  }
  yield* selectorProblems(`${field}.namespaceSelector`, webhook.namespaceSelector);
  yield* selectorProblems(`${field}.objectSelector`, webhook.objectSelector);
  yield* optionalChoice(`${field}.reinvocationPolicy`, webhook.reinvocationPolicy, webhookType);
  yield* webhookClientProblems(`${field}.clientConfig`, webhook.clientConfig ?? {});
}

/** Names of webhooks are fully qualified: `validate.mysql.example.com`. */
function* webhookNameProblems(field: string, name: string): Problems {
  if (name === "") return yield required(field);
  const reasons = checkSubdomain(name);
  if (reasons.length > 0) yield invalid(field, name, reasons.join(","));
  else if (name.split(".").length < 3) {
    yield invalid(field, name, "should be a domain with at least three segments separated by dots");
  }
}

export const mutatingWebhookConfiguration = defineConfiguration("mutatingwebhookconfigurations");
