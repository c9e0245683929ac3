/** Enqueues requests. An invalid one does not keep back those that follow; then the first error is thrown at the end. */
export function enqueueEach<R>(requests: Iterable<R>, enqueue: (request: R) => void): void {
  const errors: unknown[] = [];
  for (const request of requests) {
    try {
      enqueue(request);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
