/** A kubeconfig with one cluster, one user and one context. */
export interface Kubeconfig {
  apiVersion: "v1";
  kind: "Config";
  clusters: [{ name: string; cluster: { server: string; "certificate-authority-data"?: string } }];
  users: [
    {
      name: string;
      user: { token?: string; "client-certificate-data"?: string; "client-key-data"?: string };
    },
  ];
  contexts: [{ name: string; context: { cluster: string; user: string; namespace: string } }];
  "current-context": string;
}

interface Access {
  readonly server: string;
  readonly user: string;
  readonly token?: string;
  /** PEM, as are the certificate and key of the user. */
  readonly certificateAuthority: string;
  readonly clientCertificate: string;
  readonly clientKey: string;
}

export function kubeconfigOf(access: Access): Kubeconfig {
  const { server, user, token } = access;
  const name = "tsbuilder";
  const credentials = {
    ...(token && { token }),
    "client-certificate-data": base64(access.clientCertificate),
    "client-key-data": base64(access.clientKey),
  };
  const ca = base64(access.certificateAuthority);
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server, "certificate-authority-data": ca } }],
    users: [{ name: user, user: credentials }],
    contexts: [{ name, context: { cluster: name, user, namespace: "default" } }],
    "current-context": name,
  };
}

function base64(pem: string): string {
  return Buffer.from(pem).toString("base64");
}
