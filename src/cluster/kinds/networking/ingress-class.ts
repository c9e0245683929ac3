import { forbidden, invalid, notSupported, required, tooLong } from "@tsbuilder/apimachinery/errors";
import type * as v1 from "@tsbuilder/apimachinery/k8s/networking/v1";
import { checkLabel, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import type { TypedLocalObjectReference } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { readField, text } from "../cells.ts";
import { type Problems, immutable, needed, refused } from "../checks/problems.ts";
import { checkPathSegment } from "../checks/names.ts";

type IngressClass = ApiObject & { spec?: Sent<v1.IngressClassSpec> };

export const ingressClass: BuiltInKind = {
  resource: "ingressclasses.networking.k8s.io",
  metadataChecks: { update: ["update", "new"] },
  strategy: {
    validate: (object) => [...classProblems(object)],
    validateUpdate: (object: IngressClass, old: IngressClass) => [
      ...immutable("spec.controller", object.spec?.controller ?? "", old.spec?.controller ?? ""),
      ...classProblems(object),
    ],
  },
  cells: {
    Controller: text("spec.controller"),
    Parameters: (object) => {
      const parameters = readField<v1.IngressClassParametersReference>(object, "spec.parameters");
      if (!parameters) return "<none>";
      const { apiGroup, kind, name } = parameters;
      return `${kind}${apiGroup ? `.${apiGroup}` : ""}/${name}`;
    },
  },
};

const longestController = 250;

function* classProblems({ spec = {} }: IngressClass): Problems {
  const { controller = "", parameters } = spec;
  if (controller.length > longestController) yield tooLong("spec.controller", longestController);
  yield* controllerNameProblems("spec.controller", controller);
  if (parameters) yield* parameterProblems("spec.parameters", parameters);
}

const httpPath = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

/** Validates the name of a controller: a domain and a path, such as `example.com/controller`. */
function* controllerNameProblems(field: string, value: string): Problems {
  if (value === "") return yield required(field);
  const [, domain, path] = /^([^/]+)\/(.+)$/s.exec(value) ?? [];
  if (domain === undefined || path === undefined) {
    return yield invalid(field, value, 'must be a domain-prefixed path (such as "acme.io/foo")');
  }
  yield* refused(field, domain, checkSubdomain(domain));
  if (!new RegExp(`^${httpPath}$`).test(path)) {
    yield invalid(field, path, `Invalid path (regex used for validation is '${httpPath}')`);
  }
}

function* parameterProblems(field: string, parameters: Sent<v1.IngressClassParametersReference>): Problems {
  const { scope = "", namespace } = parameters;
  yield* typedReferenceProblems(field, parameters);
  if (scope === "Namespace") {
    if (namespace !== undefined) yield* refused(`${field}.namespace`, namespace, checkLabel(namespace));
    else yield required(`${field}.namespace`, "`parameters.scope` is set to 'Namespace'");
  } else if (scope !== "Cluster") yield notSupported(`${field}.scope`, scope, ["Cluster", "Namespace"]);
  else if (namespace !== undefined) {
    yield forbidden(`${field}.namespace`, "`parameters.scope` is set to 'Cluster'");
  }
}

/** Validates a reference to an object by group, kind and name. */
export function* typedReferenceProblems(
  field: string,
  { apiGroup, kind, name }: Sent<TypedLocalObjectReference>,
): Problems {
  if (typeof apiGroup === "string") yield* refused(`${field}.apiGroup`, apiGroup, checkSubdomain(apiGroup));
  yield* needed(`${field}.kind`, kind, checkPathSegment);
  yield* needed(`${field}.name`, name, checkPathSegment);
}
