import type * as v1 from "@tsbuilder/apimachinery/k8s/apiregistration/v1";
import { formatTime } from "@tsbuilder/apimachinery/time";
import { invalid, required } from "@tsbuilder/apimachinery/errors";
import { checkLabel1035, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import type { BuiltInKind } from "../built-in-kind.ts";
import { readField } from "../cells.ts";
import { type Fields, fillIn } from "../fill-in.ts";
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import { pathSegmentName } from "../../registry/validate-metadata.ts";
import { checkPort } from "../checks/names.ts";
import { type Problems, each, needed, refused, optionalChoice } from "../checks/problems.ts";

/** How servers behind this one are called is in `handlers/connect/aggregated-apis.ts`. */
export const apiService: BuiltInKind = {
  resource: "apiservices.apiregistration.k8s.io",
  metadataChecks: { update: ["update", "new"], qualifiedFinalizers: false },
  strategy: {
    default(object) {
      fillIn((object["spec"] as Fields | undefined)?.["service"], () => ({ port: 443 }));
    },
    prepareForCreate(object, { now }) {
      const { service } = (object["spec"] ?? {}) as Fields;
      object["status"] = service === undefined ? { conditions: [localCondition(now)] } : {};
    },
    /** The name is `<version>.<group>`. */
    validateName(name, _prefix, object) {
      const { version = "", group = "" } = (object as { spec?: Sent<v1.APIServiceSpec> }).spec ?? {};
      const expected = `${version}.${group}`;
      const reasons = pathSegmentName(name, false);
      if (reasons.length > 0 || name === expected) return reasons;
      return [`must be \`spec.version+"."+spec.group\`: ${JSON.stringify(expected)}`];
    },
    validate: (object) => [...apiServiceProblems(object)],
    validateUpdate: (object, _old, { subresource }) =>
      subresource === "status" ? [...conditionProblems(object)] : [...apiServiceProblems(object)],
  },
  cells: {
    Service: (object) => {
      const service = readField<v1.ServiceReference>(object, "spec.service");
      return service ? `${service.namespace}/${service.name}` : "Local";
    },
    Available: (object) => {
      const conditions = readField<v1.APIServiceCondition[]>(object, "status.conditions") ?? [];
      const available = conditions.find(({ type }) => type === "Available");
      if (!available || available.status === "True") return available?.status ?? "Unknown";
      return available.reason ? `${available.status} (${available.reason})` : available.status;
    },
  },
};

function* apiServiceProblems(object: ApiObject): Problems {
  const { spec = {} } = object as Sent<v1.APIService>;
  const { group = "", version = "", groupPriorityMinimum = 0, versionPriority = 0 } = spec;
  if (group !== "") yield* refused("spec.group", group, checkSubdomain(group));
  else if (version !== "v1") {
    yield required("spec.group", "only v1 may have an empty group and it better be legacy kube");
  }
  yield* refused("spec.version", version, checkLabel1035(version));
  yield* priorityProblems("spec.groupPriorityMinimum", groupPriorityMinimum, 20_000);
  yield* priorityProblems("spec.versionPriority", versionPriority, 1000);
  yield* serviceProblems(spec);
}

function* priorityProblems(field: string, value: number, max: number): Problems {
  if (value <= 0 || value > max) yield invalid(field, value, `must be positive and less than ${max}`);
}

type APIServiceSpec = Sent<v1.APIServiceSpec>;

function* serviceProblems({
  service,
  caBundle = "",
  insecureSkipTLSVerify = false,
}: APIServiceSpec): Problems {
  const bytes = Buffer.byteLength(caBundle, "base64");
  const insecure = "spec.insecureSkipTLSVerify";
  if (!service) {
    if (bytes > 0)
      yield invalid("spec.caBundle", `${bytes} bytes`, "local APIServices may not have a caBundle");
    if (insecureSkipTLSVerify)
      yield invalid(insecure, true, "local APIServices may not have insecureSkipTLSVerify");
    return;
  }
  const { namespace, name, port = 0 } = service;
  yield* needed("spec.service.namespace", namespace);
  yield* needed("spec.service.name", name);
  for (const reason of checkPort(port))
    yield invalid("spec.service.port", port, `port is not valid: ${reason}`);
  if (insecureSkipTLSVerify && bytes > 0)
    yield invalid(insecure, true, "may not be true if caBundle is present");
}

function conditionProblems(object: ApiObject): Problems {
  const { conditions } = (object as Sent<v1.APIService>).status ?? {};
  return each("status.conditions", conditions, (at, { status = "" }) =>
    optionalChoice(`${at}.status`, status, ["True", "False", "Unknown"]),
  );
}

/** The condition of versions that this server serves itself. */
function localCondition(now: number): v1.APIServiceCondition {
  return {
    type: "Available",
    status: "True",
    lastTransitionTime: formatTime(now),
    reason: "Local",
    message: "Local APIServices are always available",
  };
}
