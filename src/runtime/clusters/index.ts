export { followKubeconfigSecrets, type KubeconfigSecretsOptions } from "./kubeconfig-secrets.ts";
