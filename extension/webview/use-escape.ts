import { useEffect, useRef, useState } from "preact/hooks";

/** How long Escape stays armed, in milliseconds. */
const armedMs = 3000;

/** The first Escape arms, a second one within three seconds stops; any other key disarms. */
export function useEscapeTwice({ isActive, onStop }: { isActive: boolean; onStop: () => void }) {
  const [isArmed, setArmed] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    if (!isActive) setArmed(false);
  }, [isActive]);
  function handleKey({ key, isComposing }: KeyboardEvent): void {
    clearTimeout(timer.current);
    const isEscape = key === "Escape" && isActive && !isComposing;
    if (isEscape && isArmed) onStop();
    const armsNow = isEscape && !isArmed;
    setArmed(armsNow);
    if (armsNow) timer.current = setTimeout(() => setArmed(false), armedMs);
  }
  return { isArmed, handleKey };
}
