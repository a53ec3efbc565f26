/** Does something once nothing was heard for a while; what it gives is called whenever there is something to hear. */
export function afterRest(restMs: number, run: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      run();
    }, restMs).unref();
    timer.refresh();
  };
}
