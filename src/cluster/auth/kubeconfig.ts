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

export interface Access {
  readonly server: string;
  readonly user: string;
  /** PEM. */
  readonly certificateAuthority?: string;
  readonly token?: string;
  /** PEM. */
  readonly clientCertificate?: string;
  /** PEM. */
  readonly clientKey?: string;
}

/** Makes the kubeconfig of a user. */
export function kubeconfigOf(access: Access): Kubeconfig {
  const { server, user, certificateAuthority, token, clientCertificate, clientKey } = access;
  const name = "tsbuilder";
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name,
        cluster: {
          server,
          ...(certificateAuthority && { "certificate-authority-data": base64(certificateAuthority) }),
        },
      },
    ],
    users: [
      {
        name: user,
        user: {
          ...(token && { token }),
          ...(clientCertificate && { "client-certificate-data": base64(clientCertificate) }),
          ...(clientKey && { "client-key-data": base64(clientKey) }),
        },
      },
    ],
    contexts: [{ name, context: { cluster: name, user, namespace: "default" } }],
    "current-context": name,
  };
}

function base64(pem: string): string {
  return Buffer.from(pem).toString("base64");
}
