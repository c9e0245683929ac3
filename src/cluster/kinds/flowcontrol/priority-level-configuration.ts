import type * as v1 from "@tsbuilder/apimachinery/k8s/flowcontrol/v1";
import { type FieldError, forbidden, invalid, required } from "@tsbuilder/apimachinery/errors";
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import { servesSince, untilDeclared } from "../../contract/version.ts";
import type { CellReader } from "../../registry/resource.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { readField, text } from "../cells.ts";
import { type Problems, choice, inRange, optionalChoice } from "../checks/problems.ts";
import { conditionProblems, fixedLevelProblems, resetFlowControlFields } from "./fixed-specs.ts";

export const priorityLevelConfiguration: BuiltInKind = {
  resource: "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
  metadataChecks: { update: ["new"], status: [] },
  strategy: {
    resetFields: resetFlowControlFields,
    validate: (object) => [
      ...annotationProblems(object),
      ...levelProblems(object),
      ...conditionProblems(object),
    ],
    validateUpdate: (object, _old, { subresource }) => [
      ...(subresource === "" ? [...annotationProblems(object), ...levelProblems(object)] : []),
      ...conditionProblems(object),
    ],
  },
  cells: {
    Type: text("spec.type"),
    NominalConcurrencyShares: numberCell("spec.limited.nominalConcurrencyShares"),
    Queues: numberCell("spec.limited.limitResponse.queuing.queues"),
    HandSize: numberCell("spec.limited.limitResponse.queuing.handSize"),
    QueueLengthLimit: numberCell("spec.limited.limitResponse.queuing.queueLengthLimit"),
  },
};

/** The server itself used an annotation for a version that is gone. */
function* annotationProblems({ metadata }: ApiObject): Problems {
  const name = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";
  if (metadata.annotations?.[name] !== undefined)
    yield forbidden("metadata.annotations", `annotation '${name}' is forbidden`);
}

function* levelProblems(object: ApiObject): Problems {
  const { type = "", limited, exempt } = object["spec"] as Sent<v1.PriorityLevelConfigurationSpec>;
  if ((object.metadata.name === "exempt") !== (type === "Exempt"))
    yield invalid("spec.type", type, "must be 'Exempt' if and only if `name` is 'exempt'");
  if (type === "Exempt") {
    if (limited) yield forbidden("spec.limited", untilDeclared("must be nil if the type is not Limited"));
    if (exempt) yield* shareProblems("spec.exempt", exempt);
  } else if (type === "Limited") {
    if (exempt) yield forbidden("spec.exempt", untilDeclared("must be nil if the type is Limited"));
    if (limited) yield* limitedProblems("spec.limited", limited);
    else yield required("spec.limited", untilDeclared("must not be empty when type is Limited"));
  } else yield* choice("spec.type", type, ["Exempt", "Limited"]);
  yield* fixedLevelProblems(object);
}

function* limitedProblems(field: string, limited: Sent<v1.LimitedPriorityLevelConfiguration>): Problems {
  const { borrowingLimitPercent: borrowed } = limited;
  yield* shareProblems(field, limited, queueProblems(`${field}.limitResponse`, limited.limitResponse ?? {}));
  if (borrowed !== undefined && borrowed < 0)
    yield invalid(`${field}.borrowingLimitPercent`, borrowed, "if specified, must be a non-negative integer");
}

/** Validates the shares of a level. The server reports the queues between them: `between`. */
function* shareProblems(
  field: string,
  { nominalConcurrencyShares: shares = 0, lendablePercent }: Sent<v1.ExemptPriorityLevelConfiguration>,
  between: Iterable<FieldError> = [],
): Problems {
  if (shares < 0)
    yield invalid(`${field}.nominalConcurrencyShares`, shares, "must be a non-negative integer");
  yield* between;
  yield* inRange(`${field}.lendablePercent`, lendablePercent, 0, 100);
}

const mostQueues = 10_000_000;
const mostHashBits = 60;

function* queueProblems(field: string, { type, queuing }: Sent<v1.LimitResponse>): Problems {
  const at = `${field}.queuing`;
  if (type === "Reject") {
    const detail = "must be nil if limited.limitResponse.type is not Limited";
    if (queuing) yield forbidden(at, untilDeclared(detail));
    return;
  }
  if (type !== "Queue") {
    const rule = servesSince("1.36") ? choice : optionalChoice;
    return yield* rule(`${field}.type`, type ?? "", ["Queue", "Reject"]);
  }
  if (!queuing) return yield required(at, "must not be empty if limited.limitResponse.type is Limited");
  const { queues = 0, handSize = 0, queueLengthLimit = 0 } = queuing;
  if (queueLengthLimit <= 0) yield invalid(`${at}.queueLengthLimit`, queueLengthLimit, "must be positive");
  if (queues <= 0) yield invalid(`${at}.queues`, queues, "must be positive");
  else if (queues > mostQueues)
    yield invalid(`${at}.queues`, queues, `must not be greater than ${mostQueues}`);
  if (handSize <= 0) yield invalid(`${at}.handSize`, handSize, "must be positive");
  else if (handSize > queues) {
    yield invalid(`${at}.handSize`, handSize, `should not be greater than queues (${queues})`);
  } else {
    const bits = Math.ceil(Math.log2(queues) * handSize);
    if (bits <= mostHashBits) return;
    const detail = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${mostHashBits}`;
    yield invalid(`${at}.handSize`, handSize, detail);
  }
}

function numberCell(path: string): CellReader {
  return (object) => readField<number>(object, path) ?? "<none>";
}
