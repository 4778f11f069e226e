"""Imports of modules that lie next to scripts, or in folders that a script adds to sys.path. Two scripts, or two builds of one,
may each bring a `kernels.py`, but sys.modules has one entry for that name: the second script would run the first one's module.
If scripts come from several folders, code that imports such a module gets the one from its own folder, or an ImportError."""

import builtins
import importlib
import importlib.machinery
import os
import sys
import threading

_folders = {}  # path -> _Folder, in the order in which scripts were loaded
_owners = {}  # top-level name -> folders that have such a module
_lock = threading.RLock()
_import, _import_module = builtins.__import__, importlib.import_module


class _Folder:
    def __init__(self, path):
        self.path, self.paths, self.names, self.modules = path, [], set(), {}
        self.busy = False

    def search(self, entry):
        """Adds a directory in which the scripts of this folder find modules."""
        if entry in self.paths or _is_installed(entry + "/"):
            return
        self.paths.append(entry)
        for name in _names_in(entry) - self.names:
            self.names.add(name)
            _owners.setdefault(name, []).append(self)

    def owns(self, module):
        """Returns whether this top-level module comes from this folder; an installed package of the same name hides the folder's module."""
        places = list(getattr(module, "__path__", None) or ())
        places = places or [getattr(module, "__file__", None) or ""]
        return os.path.dirname(places[0]) in self.paths

    def loaded(self, names):
        """Returns the modules of this folder that have one of these names and are in sys.modules, with their submodules."""
        tops = {name for name in names if name in sys.modules and self.owns(sys.modules[name])}
        return {name: module for name, module in list(sys.modules.items()) if name.partition(".")[0] in tops}

    def put_away(self):
        """Moves modules from sys.modules to this folder if other folders have one of the same name."""
        found = self.loaded(name for name in self.names if len(_owners[name]) > 1)
        self.modules.update(found)
        for name in found:
            del sys.modules[name]

    def call(self, function, *args):
        """Calls function(*args) while sys.modules and sys.path look as if no other folder had a script."""
        with _lock:
            if self.busy:
                return function(*args)
            others, hidden, path = [other for other in _folders.values() if other is not self], {}, sys.path[:]
            for other in others:
                other.put_away()
                hidden.update(other.loaded(other.names))
            for name in hidden:
                del sys.modules[name]
            strange = {entry for other in others for entry in other.paths} - set(self.paths)
            own = sys.path[:] = [entry for entry in path if entry not in strange]
            sys.modules.update(self.modules)
            self.busy = True
            try:
                return function(*args)
            finally:
                self.busy = False
                added = [entry for entry in sys.path if entry not in own]
                for entry in added:
                    self.search(entry)
                self.put_away()
                sys.path[:] = [entry for entry in added if entry not in path] + path
                for name, module in hidden.items():
                    sys.modules.setdefault(name, module)
                for other in others:
                    other.put_away()


def _is_installed(file):
    """Returns whether the file belongs to an installed package. All scripts share these, even if a script adds their folder."""
    return "-packages/" in file or file.startswith(os.path.dirname(os.__file__) + "/")


def _names_in(path):
    """Returns the names of the top-level modules and packages that an import would find in the directory `path`."""
    endings = sorted(importlib.machinery.all_suffixes(), key=len, reverse=True)
    found = set()
    if not os.path.isdir(path):
        return found
    for entry in os.scandir(path):
        ending = next((e for e in endings if entry.name.endswith(e)), None)
        name = entry.name[: -len(ending)] if ending else entry.name if entry.is_dir() else ""
        if name.isidentifier() and name != "__pycache__":
            found.add(name)
    return found


def load(path, function, *args):
    """Calls function(*args), which runs a script of the folder `path`."""
    importlib.import_module = _imported_module  # before any script runs, because scripts may keep a reference to the function
    if path not in _folders:
        _folders[path] = _Folder(path)
        _folders[path].search(path)
        if path not in sys.path:
            sys.path.append(path)  # last, so that no file there hides a package
    if len(_folders) > 1:
        builtins.__import__ = _imported
    return _folders[path].call(function, *args)


def _folder_of(frame):
    """Returns the folder of the nearest calling code that lies in exactly one of them and not in an installed package."""
    while frame is not None:
        file, found = frame.f_code.co_filename, []
        if not _is_installed(file):
            found = [(len(path), folder) for folder in _folders.values() for path in folder.paths if file.startswith(path + "/")]
        nearest = [folder for length, folder in found if length == max(found, key=lambda pair: pair[0])[0]]
        if len(nearest) == 1:
            return nearest[0]
        frame = frame.f_back
    return None


def _within(name, frame, function, *args):
    top = name.partition(".")[0]
    owners = _owners.get(top)
    if owners is None:
        return function(*args)
    folder = _folder_of(frame)
    if len(owners) == 1 and folder in (owners[0], None):
        return function(*args)
    if folder is None:
        raise ImportError(f"'{top}' lies beside several scripts, and it is not known for which of them it is imported", name=name)
    return folder.call(function, *args)


def _imported(name, globals=None, locals=None, fromlist=(), level=0):
    whole = name if level == 0 else str((globals or {}).get("__package__") or name)
    return _within(whole, sys._getframe().f_back, _import, name, globals, locals, fromlist, level)


def _imported_module(name, package=None):
    whole = str(package) if name.startswith(".") else name
    return _within(whole, sys._getframe().f_back, _import_module, name, package)
