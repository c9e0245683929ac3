interface WithContext<Context> {
  readonly contexts: readonly [{ readonly context: Context }];
}

/** A kubeconfig whose default namespace is another one, as that of a pod is its own. */
export function inNamespace<Context extends object, Config extends WithContext<Context>>(
  config: Config,
  namespace: string,
): Config {
  const [only] = config.contexts;
  return { ...config, contexts: [{ ...only, context: { ...only.context, namespace } }] };
}
