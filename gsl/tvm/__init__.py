"""The only door to TVM: write Relax modules, read them, compile and run them.

Nothing is imported here, so that `gsl.tvm.worker` can be used without TVM in the own process:

    gsl.tvm.export    to_relax, build_function
    gsl.tvm.importer  from_relax
    gsl.tvm.run       run, compile_functions
    gsl.tvm.worker    Worker, Job, Failure: the same behind a process barrier
"""
