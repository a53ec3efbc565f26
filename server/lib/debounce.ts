/** Debounces `run`: it runs once the returned function has not been called for `restMs`. Does not keep the process alive. */
export function debounce(restMs: number, run: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      run();
    }, restMs).unref();
    timer.refresh();
  };
}
