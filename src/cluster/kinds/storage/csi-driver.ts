import { isEqual } from "@tsbuilder/apimachinery/json";
import { duplicate, invalid, notSupported } from "@tsbuilder/apimachinery/errors";
import type { CSIDriverSpec } from "@tsbuilder/apimachinery/k8s/storage/v1";
import type { BuiltInKind } from "../built-in-kind.ts";
import { readField, text } from "../cells.ts";
import { fillIn } from "../fill-in.ts";
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import { type Problems, immutable, optionalChoice } from "../checks/problems.ts";

type CSIDriver = ApiObject & { spec?: Sent<CSIDriverSpec> };

export const csiDriver: BuiltInKind = {
  resource: "csidrivers.storage.k8s.io",
  strategy: {
    returnsDeleted: true,
    default(object) {
      fillIn(object["spec"], () => ({
        attachRequired: true,
        fsGroupPolicy: "ReadWriteOnceWithFSType",
        podInfoOnMount: false,
        requiresRepublish: false,
        seLinuxMount: false,
        storageCapacity: false,
      }));
      const { spec } = object as CSIDriver;
      if (spec && !spec.volumeLifecycleModes?.length) spec.volumeLifecycleModes = ["Persistent"];
    },
    prepareForCreate: (object) => dropGatedField(object),
    prepareForUpdate(object, old) {
      dropGatedField(object);
      // A new object has no generation, but changes count.
      if (isEqual(object["spec"], old["spec"])) return;
      object.metadata.generation = (old.metadata.generation ?? 0) + 1;
    },
    validate: (object) => [...driverProblems(object)],
    validateUpdate: (object, old) => [...driverProblems(object), ...driverChanges(object, old)],
    warnings: (object, old) => driverWarnings(object, old),
  },
  cells: {
    AttachRequired: (object) => readField<boolean>(object, "spec.attachRequired") ?? true,
    PodInfoOnMount: (object) => readField<boolean>(object, "spec.podInfoOnMount") ?? false,
    StorageCapacity: (object) => readField<boolean>(object, "spec.storageCapacity") ?? false,
    TokenRequests: text("spec.tokenRequests", "<unset>"),
    RequiresRepublish: (object) => readField<boolean>(object, "spec.requiresRepublish") ?? false,
    Modes: (object) => (readField<string[]>(object, "spec.volumeLifecycleModes") ?? []).join(","),
  },
  emptyObject: { spec: {} },
};

const shortestUpdatePeriod = 10;

function* driverProblems({ spec = {} }: CSIDriver): Problems {
  yield* optionalChoice("spec.fsGroupPolicy", spec.fsGroupPolicy, [
    "File",
    "None",
    "ReadWriteOnceWithFSType",
  ]);
  yield* tokenProblems("spec.tokenRequests", spec);
  for (const mode of spec.volumeLifecycleModes ?? []) {
    if (mode === "Persistent" || mode === "Ephemeral") continue;
    yield notSupported("spec.volumeLifecycleModes", mode, ["Persistent", "Ephemeral"]);
  }
  const { nodeAllocatableUpdatePeriodSeconds: period, serviceAccountTokenInSecrets: inSecrets } = spec;
  if (period !== undefined && period < shortestUpdatePeriod) {
    const field = "spec.nodeAllocatableUpdatePeriodSeconds";
    yield invalid(field, period, `must be greater than or equal to ${shortestUpdatePeriod} seconds`);
  }
  if (inSecrets !== undefined && !spec.tokenRequests?.length) {
    const detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
    yield invalid("spec.serviceAccountTokenInSecrets", inSecrets, detail);
  }
}

function* tokenProblems(field: string, { tokenRequests = [] }: Sent<CSIDriverSpec>): Problems {
  const audiences = tokenRequests.map(({ audience = "" }) => audience);
  for (const [index, { expirationSeconds: seconds }] of tokenRequests.entries()) {
    const at = `${field}[${index}]`;
    const audience = audiences[index]!;
    if (audiences.indexOf(audience) < index) yield duplicate(`${at}.audience`, audience);
    else if (seconds !== undefined && seconds < 600) {
      yield invalid(`${at}.expirationSeconds`, seconds, "may not specify a duration less than 10 minutes");
    } else if (seconds !== undefined && seconds > 2 ** 32) {
      const detail = "may not specify a duration larger than 2^32 seconds";
      yield invalid(`${at}.expirationSeconds`, seconds, detail);
    }
  }
}

/** The server misspells the first field. */
function* driverChanges({ spec = {} }: CSIDriver, { spec: old = {} }: CSIDriver): Problems {
  yield* immutable("spec.attachedRequired", spec.attachRequired, old.attachRequired);
  yield* immutable("spec.volumeLifecycleModes", spec.volumeLifecycleModes, old.volumeLifecycleModes);
}

function* driverWarnings({ spec = {} }: CSIDriver, old?: CSIDriver): Generator<string, void> {
  if (!spec.tokenRequests?.length || spec.serviceAccountTokenInSecrets !== undefined) return;
  if (old && isEqual(spec.tokenRequests, old.spec?.tokenRequests)) return;
  yield "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes";
}

/** The feature of the field is off by default. */
function dropGatedField({ spec }: CSIDriver): void {
  delete spec?.preventPodSchedulingIfMissing;
}
