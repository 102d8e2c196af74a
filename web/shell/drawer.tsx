/** The menu of a small screen: what the rail is on a wide one. */
import { X } from "lucide-react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { IconButton } from "../ui/button.tsx";
import { Brand, Navigation, Who } from "./navigation.tsx";

/** It closes when a link was followed, and gives the focus back to the menu button. */
export function Drawer({ onClose }: { readonly onClose: () => void }) {
  const drawer = useRef<HTMLDialogElement>(null);
  const [path] = useLocation();
  const [openedAt] = useState(path);
  // In the layout phase, as in ui/dialog.tsx: the focus must find its way back.
  useLayoutEffect(() => {
    const element = drawer.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  useEffect(() => {
    if (path !== openedAt) onClose();
  }, [path, openedAt, onClose]);
  return (
    // Escape is the keyboard's way; the click is only for the ground beside the menu.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={drawer}
      aria-label="Menu"
      onClick={(event) => event.target === drawer.current && onClose()}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      className="m-0 h-dvh max-h-none w-72 max-w-[85vw] border-r border-line bg-surface text-ink shadow-popup
        backdrop:bg-black/45"
    >
      <div className="flex min-h-full flex-col gap-5 py-3">
        <div className="flex items-center justify-between pr-2 pl-4">
          <Brand />
          <IconButton label="Close menu" icon={<X />} onClick={onClose} className="size-10" />
        </div>
        <Navigation onFollow={onClose} />
        <div className="mt-auto border-t border-line px-5 pt-4 pb-2">
          <Who />
        </div>
      </div>
    </dialog>
  );
}
