import type * as v1 from "@tsbuilder/apimachinery/k8s/certificates/v1";
import {
  type CertificateRequest,
  type Usage,
  backdateMilliseconds,
  signCertificateRequest,
} from "@tsbuilder/apimachinery/certs";
import { resourceAttributes } from "../../contract/authorizer.ts";
import type { ResourceName } from "../../contract/cluster-objects.ts";
import type { Stored } from "../../contract/api-object.ts";
import { nodeOf } from "../../contract/user.ts";
import { nodes } from "../../control-loop/api/core.ts";
import { serverNames } from "../core/service/allocation.ts";
import { decodeRequest, readRequest } from "./read-request.ts";
import { type Controller, type ControllerContext, userOf } from "../../control-loop/controller.ts";

type Request = Stored<v1.CertificateSigningRequest>;

const requests: ResourceName<Request> = "certificatesigningrequests.certificates.k8s.io";
const user = userOf("certificate");

const kubeletClient = "kubernetes.io/kube-apiserver-client-kubelet";
const kubeletServing = "kubernetes.io/kubelet-serving";

/**
 * Approves what kubelets ask for: the first client certificate of one that may ask (`nodeclient`), the next ones, and
 * serving certificates for addresses that its Node has. Kubernetes leaves the last to add-ons.
 */
export function csrApproving({ objects, authorizer }: ControllerContext): Controller {
  return {
    watches: [requests, nodes],
    // A kubelet may ask before its Node has an address.
    keysOf: ({ resource, object }) =>
      resource === requests ? [object.metadata.name!] : objects.list(requests).map(nameOf),

    async reconcile(key) {
      const request = objects.get(requests, undefined, key);
      if (!request || request.status?.certificate) return undefined;
      if (isTrue(request, "Approved") || isTrue(request, "Denied")) return undefined;
      const message = approvalOf(request);
      if (message === undefined) return undefined;
      const approved = { type: "Approved", status: "True", reason: "AutoApproved", message } as const;
      await objects.update(user, withCondition(request, approved), "approval");
      return undefined;
    },
  };

  /** Returns why a request is approved; undefined if that is left to others. */
  function approvalOf(request: Request): string | undefined {
    const { signerName, username = "", uid, groups = [], extra } = request.spec;
    const content = readRequest(request.spec.request);
    if (!content || problemWith(request, content) !== undefined) return undefined;
    const asker = { name: username, groups, ...(uid !== undefined && { uid }), ...(extra && { extra }) };
    const isSelf = nodeOf(asker) !== undefined && username === content.commonName;
    if (signerName === kubeletServing)
      return isSelf && hasAddresses(nodeOf(asker)!, content)
        ? "Auto approving kubelet serving certificate for the addresses of its node."
        : undefined;
    if (signerName !== kubeletClient) return undefined;
    if (isSelf) return "Auto approving self kubelet client certificate.";
    const group = "certificates.k8s.io";
    const resource = "certificatesigningrequests";
    const attributes = resourceAttributes({
      verb: "create",
      group,
      version: "*",
      resource,
      subresource: "nodeclient",
    });
    return authorizer?.decide(asker, attributes).allowed
      ? "Auto approving kubelet client certificate after SubjectAccessReview."
      : undefined;
  }

  function hasAddresses(node: string, { dnsNames, ipAddresses }: CertificateRequest): boolean {
    const addresses = objects.get(nodes, undefined, node)?.status?.addresses ?? [];
    const known = new Set(addresses.map(({ address }) => address));
    // A node writes its addresses itself, and must not become the API server by them.
    return [...dnsNames, ...ipAddresses].every((name) => known.has(name) && !namesOfServer.has(name));
  }
}

const namesOfServer: ReadonlySet<string> = new Set([...serverNames.dnsNames, ...serverNames.ipAddresses]);

/** The default of kube-controller-manager's `--cluster-signing-duration`, and the limit of what a request may ask for. */
const longestSeconds = 365 * 24 * 3600;
const shortestSeconds = 600;

/** Signs approved requests for the signers of Kubernetes, with the cluster's CA. */
export function csrSigning({ objects, clock, authority }: ControllerContext): Controller {
  return {
    watches: [requests],
    keysOf: ({ object }) => [object.metadata.name!],

    async reconcile(key) {
      const request = objects.get(requests, undefined, key);
      const usages = request && signers[request.spec.signerName];
      if (!usages || !authority || request.status?.certificate || !isTrue(request, "Approved"))
        return undefined;
      if (isTrue(request, "Failed")) return undefined;
      const content = readRequest(request.spec.request);
      const message = content ? problemWith(request, content) : "the request can't be read";
      if (message !== undefined) {
        const failed = {
          type: "Failed",
          status: "True",
          reason: "SignerValidationFailure",
          message,
        } as const;
        await objects.update(user, withCondition(request, failed), "status");
        return undefined;
      }
      const asked = request.spec.expirationSeconds ?? longestSeconds;
      const seconds = Math.max(shortestSeconds, Math.min(asked, longestSeconds));
      const notBefore = new Date(clock.now() - backdateMilliseconds);
      const notAfter = new Date(clock.now() + seconds * 1000);
      const pem = signCertificateRequest(authority, decodeRequest(request.spec.request), {
        usages,
        notBefore,
        notAfter,
      });
      const certificate = Buffer.from(pem).toString("base64");
      await objects.update(user, { ...request, status: { ...request.status, certificate } }, "status");
      return undefined;
    },
  };
}

/** The extended usages of certificates by signer. */
const signers: Readonly<Record<string, readonly Usage[]>> = {
  [kubeletClient]: ["client"],
  [kubeletServing]: ["server"],
  "kubernetes.io/kube-apiserver-client": ["client"],
};

/** Returns what a signer refuses in a request. */
function problemWith({ spec }: Request, content: CertificateRequest): string | undefined {
  const { commonName = "", organizations = [], dnsNames, ipAddresses } = content;
  const [usage] = signers[spec.signerName] ?? [];
  const required = `${usage} auth`;
  const optional = ["digital signature", "key encipherment"];
  const { usages = [] } = spec;
  const other = usages.find((each) => each !== required && !optional.includes(each));
  if (other !== undefined) return `invalid usage for ${usage} certificate: ${other}`;
  if (!usages.some((each) => each === required))
    return `missing required usage for ${usage} certificate: ${required}`;
  if (spec.signerName === "kubernetes.io/kube-apiserver-client") return undefined;
  if (organizations.join() !== "system:nodes") return "subject organization is not system:nodes";
  if (!commonName.startsWith("system:node:")) return "subject common name does not begin with system:node:";
  const names = dnsNames.length + ipAddresses.length;
  if (spec.signerName === kubeletServing)
    return names > 0 ? undefined : "DNS or IP subjectAltName is required";
  return names === 0 ? undefined : "DNS and IP subjectAltNames are not allowed";
}

function isTrue({ status }: Request, type: string): boolean {
  return status?.conditions?.some((each) => each.type === type && each.status === "True") ?? false;
}

function withCondition(request: Request, condition: v1.CertificateSigningRequestCondition): Request {
  const conditions = [...(request.status?.conditions ?? []), condition];
  return { ...request, status: { ...request.status, conditions } };
}

function nameOf({ metadata }: Request): string {
  return metadata.name!;
}
