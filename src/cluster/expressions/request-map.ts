import { userInfo } from "../contract/user.ts";
import { type AdmissionRequest, requestNamespace } from "../registry/admission-request.ts";

/** The request as expressions and webhooks see it, without empty fields. `version` is the version that the rule matches. */
export function requestMap(request: AdmissionRequest, version: string): Record<string, unknown> {
  const { resource, operation, subresource, name, dryRun, options, user } = request;
  const namespace = requestNamespace(request);
  const { plural } = resource;
  const kind = (of: string) => kindOf(request, of);
  const inVersion = (of: string) => ({ group: resource.group, version: of, resource: plural });
  return {
    kind: kind(version),
    resource: inVersion(version),
    ...(subresource !== "" && { subResource: subresource }),
    requestKind: kind(request.version),
    requestResource: inVersion(request.version),
    ...(subresource !== "" && { requestSubResource: subresource }),
    ...(name !== "" && { name }),
    ...(namespace !== "" && { namespace }),
    operation,
    userInfo: userInfo(user),
    dryRun,
    options: Object.keys(options).length > 0 ? options : null,
  };
}

/** The body of some subresources has another kind. */
function kindOf({ resource, subresource }: AdmissionRequest, version: string) {
  const { body } = resource.subresources.get(subresource) ?? {};
  return body ?? { group: resource.group, version, kind: resource.kind };
}
